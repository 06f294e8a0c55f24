// coverage.h: the coverage of confinement by bubblewrap, where it differs from the native backend's.
#pragma once

#include <vector>

#include "backend/linux/bubblewrap/arguments.h"
#include "backend/linux/coverage.h"

namespace pinfold::backend::on_linux {

struct BubblewrapFacts {
  bool own_user_namespace = false;
  Privilege privilege = Privilege::kNone;
};

std::vector<Coverage> bubblewrap_coverage(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup,
                                          const BubblewrapFacts& bwrap);

}  // namespace pinfold::backend::on_linux
