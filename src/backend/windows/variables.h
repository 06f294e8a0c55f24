// variables.h: the plan's variables as a program on Windows expects them.
// Invariant: the result has only variables of the plan, and the paths of the run's private home and tmp.
// Not here: the block (environment_block.h), which variables pass (plan).
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::on_windows {

// The run's own directories, as Windows writes them.
struct PrivateDirectories {
  std::string home;  // empty: the caller's
  std::string tmp;
};

// `extra` replaces variables of the same name, without regard to case.
std::vector<Variable> variables_for(const Plan& plan, const std::vector<Variable>& extra,
                                    const PrivateDirectories& directories);

}  // namespace pinfold::backend::on_windows
