// address_check.h: which of the addresses that a name leads to may be connected to.
// Invariant: only addresses of the answer; what is not public, or is this host itself, only if granted as an address.
// Not here: resolving, connecting.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "net/events.h"
#include "net/rules.h"

namespace pinfold::net {

struct Vetted {
  std::vector<Address> good;
  std::optional<NetDenial> denial;  // for the first address that was refused
};

Vetted vet(const Rules& rules, std::string_view name, std::uint16_t port, const std::vector<Address>& addresses);

}  // namespace pinfold::net
