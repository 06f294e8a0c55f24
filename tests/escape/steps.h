// steps.h: which steps of coverage speak for which row.
// Invariant: every row has at least one, and each is a name that coverage knows: anything else is a fault of the suite.
// Not here: what follows from a step's strength (verdict.h).
#pragma once

#include "pinfold/coverage.h"
#include "table.h"

namespace escape {

namespace step = pinfold::step_name;

// Gives every row that names no step those of its number.
void add_usual_steps(Rows& rows);
// The error in a row's steps, or nothing.
std::string faults(const Steps& steps);

// Shorthands for the tables.
inline Steps any_gap(Texts steps) { return {.any_gap = std::move(steps)}; }
inline Steps absence(Texts steps) { return {.absence = std::move(steps)}; }
inline Steps always() { return {.any_gap = {kAlways}}; }

}  // namespace escape
