// coverage.h: what walls made by bubblewrap amount to, where that differs from our own.
#pragma once

#include <vector>

#include "backend/linux/coverage.h"

namespace pinfold::backend::on_linux {

std::vector<Coverage> bubblewrap_coverage(const Plan& plan, const WallFacts& facts, const Cgroup& cgroup,
                                          bool own_user_namespace);

}  // namespace pinfold::backend::on_linux
