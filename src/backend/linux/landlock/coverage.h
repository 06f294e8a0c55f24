// coverage.h: the coverage of the landlock backend, row by row.
#pragma once

#include <vector>

#include "backend/linux/coverage.h"
#include "backend/linux/landlock/rules.h"

namespace pinfold::backend::on_linux {

// kProxyOnly: TCP to the run's proxy alone. kByMode: none, or the host's own, as the plan says.
enum class TcpAccess { kByMode, kProxyOnly };
struct LandlockFacts {
  const Rules& rules;
  TcpAccess tcp = TcpAccess::kByMode;
};
std::vector<Coverage> landlock_coverage(const Plan& plan, const ConfinementFacts& facts, const LandlockFacts& landlock,
                                        const Cgroup& cgroup);

}  // namespace pinfold::backend::on_linux
