// scenarios.h: attempts that need the host to act while the command runs, or several runs: swaps, two at once, fakes.
// Invariant: each has its bare control and ends in one line, like a row.
// Not here: the table (table.h), killing the supervisor (kill_sweep.cc).
#pragma once

#include <string>

#include "judge.h"
#include "world.h"

namespace escape {

// Those whose name contains `filter`.
void run_scenarios(World& world, const std::string& filter, Lines& sheet);

}  // namespace escape
