// variables.h: the plan's variables as a program on Windows expects them.
// Invariant: nothing comes out that the plan does not have, but for the places of the run's own home and tmp.
// Not here: the block (environment_block.h), which variables pass (plan).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::on_windows {

// The run's own directories, as Windows writes them.
struct OwnPlaces {
  std::string home;  // empty: the caller's
  std::string tmp;
};

// `extra` on top, in place of those of the same name, whatever the case.
std::vector<Variable> variables_for(const Plan& plan, const std::vector<Variable>& extra, const OwnPlaces& places);

}  // namespace pinfold::backend::on_windows
