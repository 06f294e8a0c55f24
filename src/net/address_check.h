// address_check.h: which of a name's addresses the relay may connect to.
// Invariant: only addresses of the DNS answer; a non-public address, or one of this host, only if granted as an
// address.
// Not here: resolving, connecting.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "net/events.h"
#include "net/rules.h"

namespace pinfold::net {

struct AddressCheck {
  std::vector<Address> allowed;
  std::optional<NetDenial> denial;  // for the first address that was refused
};

AddressCheck check_addresses(const Rules& rules, std::string_view name, std::uint16_t port,
                             const std::vector<Address>& addresses);

}  // namespace pinfold::net
