// address_check.cc: ranges, this host's own addresses, grants by address.
#include "net/address_check.h"

#include "base/address.h"
#include "net/dialer.h"

namespace pinfold::net {

Vetted vet(const Rules& rules, std::string_view name, std::uint16_t port, const std::vector<Address>& addresses) {
  Vetted vetted;
  for (const Address& address : addresses) {
    Range range = range_of(address);
    const std::optional<bool> found = range == Range::kPublic ? is_own_address(address) : false;
    if (!found) continue;  // neither reached nor denied: it may be an address of this host, which cannot be checked now
    const bool own = *found;
    if (range == Range::kPublic && !own) {
      vetted.good.push_back(address);
      continue;
    }
    Decision decision = rules.decide(address, port);
    if (decision.verdict == Decision::Verdict::kAllowed) {
      vetted.good.push_back(address);
      continue;
    }
    if (vetted.denial) continue;
    // Of this host's loopback only what is called localhost can be granted.
    if (range == Range::kLoopback)
      decision.allow_with = is_localhost(address.ip()) ? rules.decide("localhost", port).allow_with : std::string();
    std::string what(own ? "an address of this host" : words_for(range));
    vetted.denial = NetDenial{.reason = NetDenial::Reason::kAddress,
                              .name = std::string(name),
                              .address = address,
                              .port = port,
                              .why = "the name leads to " + what + ", which is not granted as an address",
                              .allow_with = decision.allow_with};
  }
  return vetted;
}

}  // namespace pinfold::net
