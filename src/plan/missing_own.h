// missing_own.h: Pinfold's own directories that do not exist yet and that the command would see once they exist.
// Invariant: pure. A mount can hide only a name that exists, so these are made before the run.
// Not here: making them.
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/plan.h"

namespace pinfold::plan {

std::vector<std::string> missing_own(const Plan& plan, HostView& host);

}  // namespace pinfold::plan
