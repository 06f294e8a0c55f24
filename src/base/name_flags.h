// name_flags.h: what to type so that a host of this name can be reached.
// Invariant: what it gives is taken: a name without a dot is granted only with its ports. Not here: other rules that
// are in the way (domain.h).
#pragma once

#include <string>
#include <string_view>

namespace pinfold {

// On the usual ports: "--net example.org", "--net db:80 --net db:443".
std::string flags_for_name(std::string_view name);

}  // namespace pinfold
