// scenarios.h: attempts that need the host to act while the command runs, or several runs: swaps, two at once, fakes.
// Invariant: each has its bare control and ends in one line, like a row.
// Not here: the table (table.h), killing the supervisor (kill_sweep.cc).
#pragma once

#include "judge.h"
#include "selection.h"
#include "world.h"

namespace escape {

// Those that the selection takes.
void run_scenarios(World& world, Selection& selection, Lines& sheet);

}  // namespace escape
