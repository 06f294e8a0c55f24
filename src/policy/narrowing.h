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

// What `asked` allows beyond `own`. Both must have been built on the same host. Rather too careful than silent, it also
// tells: a pattern or protected name of `own` that `asked` lacks, though it may match nothing that is shown or
// writable; a pattern whose workspace is none any more; a pattern of variables that only several rules of `own`
// together cover.
std::vector<Widening> widenings(const Scope& own, const Scope& asked);

}  // namespace pinfold::policy
