// address_check.cc: ranges, this host's own addresses, grants by address.
#include "net/address_check.h"

#include "base/address.h"
#include "net/dialer.h"

namespace pinfold::net {

AddressCheck check_addresses(const Rules& rules, std::string_view name, std::uint16_t port,
                             const std::vector<Address>& addresses) {
  AddressCheck check;
  for (const Address& address : addresses) {
    Range range = range_of(address);
    const std::optional<bool> found = range == Range::kPublic ? is_own_address(address) : false;
    if (!found) continue;  // neither used nor denied: it may be an address of this host, which cannot be checked now
    const bool own = *found;
    if (range == Range::kPublic && !own) {
      check.allowed.push_back(address);
      continue;
    }
    Decision decision = rules.decide(address, port);
    if (decision.outcome == Decision::Outcome::kAllowed) {
      check.allowed.push_back(address);
      continue;
    }
    if (check.denial) continue;
    // Of this host's loopback only localhost can be granted.
    if (range == Range::kLoopback)
      decision.allow_with = is_localhost(address.ip()) ? rules.decide("localhost", port).allow_with : std::string();
    std::string what(own ? "an address of this host" : words_for(range));
    check.denial = NetDenial{.reason = NetDenial::Reason::kAddress,
                             .name = std::string(name),
                             .address = address,
                             .port = port,
                             .why = "the name resolves to " + what + " that no rule grants",
                             .allow_with = decision.allow_with};
  }
  return check;
}

}  // namespace pinfold::net
