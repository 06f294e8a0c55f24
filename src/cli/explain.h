// explain.h: `pinfold run --explain`: what would happen, and whether it would.
// Invariant: walls are raised to find out how well they stand, and taken down again; nothing runs.
#pragma once

#include "cli/prepare.h"

namespace pinfold::cli {

int explain(const Prepared& prepared, const RunOptions& options, Context& context);

}  // namespace pinfold::cli
