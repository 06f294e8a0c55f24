// narrowing.h: does one policy allow anything that another does not?
// Invariant: an empty answer means that at no path, name, variable, program or limit the second allows more than the
// first. Not here: whose policies they are, consent (settings/trust.h).
#pragma once

#include <string>
#include <vector>

#include "policy/scope.h"

namespace pinfold::policy {

struct Widening {
  std::string what;  // "read /home/ada/.ssh", "network full"
  std::string than;  // "hidden: no rule shows it", "none (preset moderate)"
  Origin origin;     // of what asks for it
};

// What `asked` allows beyond `own`. Both must have been built on the same host.
std::vector<Widening> widenings(const Scope& own, const Scope& asked);

}  // namespace pinfold::policy
