// name_flags.h: the flags that grant a host by name.
// Invariant: parse_rule() accepts the flags: a name without a dot gets its ports. Not here: other rules that deny the
// host (domain.h).
#pragma once

#include <string>
#include <string_view>

namespace pinfold {

// On the usual ports: "--net example.org", "--net db:80 --net db:443".
std::string flags_for_name(std::string_view name);

}  // namespace pinfold
