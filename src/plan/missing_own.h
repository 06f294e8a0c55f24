// missing_own.h: Pinfold's own directories that do not exist yet and that the command would see once they exist.
// Invariant: pure. A mount can hide only a name that exists, so these are made before the run.
// Not here: making them (settings/own_directories.h).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/plan.h"
#include "policy/own_directories.h"

namespace pinfold::plan {

// Also those of another HOME or XDG_… variable, which Pinfold reads once that is set.
std::vector<policy::OwnDirectory> missing_own(const Plan& plan, HostView& host);

}  // namespace pinfold::plan
