// narrowing.h: does one policy allow anything that another does not?
// Invariant: an empty answer means that at no path, name, variable, program or limit the second allows more than the
// first. Not here: the owners of the policies, consent (settings/trust.h).
#pragma once

#include <string>
#include <vector>

#include "policy/scope.h"

namespace pinfold::policy {

struct Widening {
  std::string what;  // "read /home/ada/.ssh", "network full"
  std::string than;  // "not visible: no rule grants this path", "none (preset moderate)"
  Origin origin;     // of the rule that requests it
};

// The access that `requested` allows beyond `own`. Both must have been built on the same host. Conservative: it also
// reports: a pattern or protected name of `own` that `requested` lacks, though it may match nothing that is shown or
// writable; a pattern whose workspace is no longer a workspace; a pattern of variables that only several rules of `own`
// together cover.
std::vector<Widening> widenings(const Scope& own, const Scope& requested);

}  // namespace pinfold::policy
