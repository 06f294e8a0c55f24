// confinement.cc: chooses the plan by which denials are reported: the plan that runs, or the one in its Observe step.
#include "backend/linux/confinement.h"

#include "backend/linux/lower/steps.h"

namespace pinfold::backend::on_linux {

Confinement::ObservedPlan Confinement::observed_plan(const Plan& plan) const {
  const auto* observe = find_step<Observe>(plan);
  if (observe != nullptr && observe->as_if) return {observe->as_if.get(), UngrantedPaths::kUsable};
  return {&plan, UngrantedPaths::kAbsent};
}

}  // namespace pinfold::backend::on_linux
