// coverage.h: what the native backend's walls amount to, row by row, from what really happened.
#pragma once

#include <string>
#include <vector>

#include "backend/linux/limits.h"
#include "pinfold/coverage.h"

namespace pinfold::backend::on_linux {

struct WallFacts {
  int landlock_abi = 0;  // in force
  std::string why_no_landlock;
  bool private_network = true;
  std::string why_no_listener;  // empty: trapped
  Cgroup::PidMax pid_max = Cgroup::PidMax::kCannotBeSet;
};

std::vector<Coverage> native_coverage(const Plan& plan, const WallFacts& facts, const Cgroup& cgroup);

}  // namespace pinfold::backend::on_linux
