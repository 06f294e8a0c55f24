// confinement.cc: which plan is told about: the one that runs, unless it says that another one is asked.
#include "backend/linux/confinement.h"

#include "backend/linux/lower/steps.h"

namespace pinfold::backend::on_linux {

Walls::Ways Walls::ways(const Plan& plan) const {
  const auto* observe = find_step<Observe>(plan);
  if (observe != nullptr && observe->as_if) return {observe->as_if.get(), Beyond::kMore};
  return {&plan, Beyond::kNothing};
}

}  // namespace pinfold::backend::on_linux
