// explain.h: `pinfold run --explain`: prints the plan, the backend and its coverage, and whether the run would start.
// Invariant: the backend sets the sandbox up to learn its coverage, and removes it again; no command runs.
#pragma once

#include "cli/prepare.h"

namespace pinfold::cli {

int explain(const PreparedRun& prepared, const RunOptions& options, Context& context);

}  // namespace pinfold::cli
