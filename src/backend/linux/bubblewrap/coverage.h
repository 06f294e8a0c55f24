// coverage.h: what walls made by bubblewrap amount to, where that differs from our own.
#pragma once

#include <vector>

#include "backend/linux/bubblewrap/arguments.h"
#include "backend/linux/coverage.h"

namespace pinfold::backend::on_linux {

struct BubblewrapFacts {
  bool own_user_namespace = false;
  Privilege privilege = Privilege::kNone;
};

std::vector<Coverage> bubblewrap_coverage(const Plan& plan, const WallFacts& facts, const Cgroup& cgroup,
                                          const BubblewrapFacts& made);

}  // namespace pinfold::backend::on_linux
