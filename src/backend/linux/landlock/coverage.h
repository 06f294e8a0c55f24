// coverage.h: what rules alone amount to, row by row.
#pragma once

#include <vector>

#include "backend/linux/coverage.h"
#include "backend/linux/landlock/rules.h"

namespace pinfold::backend::on_linux {

// kProxy: TCP to the run's proxy alone. kItsMode: none, or the host's own, as the plan says.
enum class HeldTo { kItsMode, kProxy };
struct RuledWalls {
  const Rules& rules;
  HeldTo held_to = HeldTo::kItsMode;
};
std::vector<Coverage> landlock_coverage(const Plan& plan, const WallFacts& facts, const RuledWalls& walls,
                                        const Cgroup& cgroup);

}  // namespace pinfold::backend::on_linux
