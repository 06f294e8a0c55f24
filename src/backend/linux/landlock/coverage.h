// coverage.h: what rules alone amount to, row by row.
#pragma once

#include <vector>

#include "backend/linux/coverage.h"
#include "backend/linux/landlock/rules.h"

namespace pinfold::backend::on_linux {

std::vector<Coverage> landlock_coverage(const Plan& plan, const WallFacts& facts, const Rules& rules,
                                        const Cgroup& cgroup);

}  // namespace pinfold::backend::on_linux
