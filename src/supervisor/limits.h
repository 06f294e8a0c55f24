// limits.h: reads the limits of a plan.
// Not here: enforcing (backend, supervisor.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "pinfold/plan.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

inline std::optional<std::uint64_t> limit_of(const Plan& plan, LimitKind kind) {
  for (const Step& step : plan.steps)
    if (const auto* limit = std::get_if<LimitStep>(&step.body); limit != nullptr && limit->kind == kind)
      return limit->amount;
  return std::nullopt;
}

inline Denial limit_denial(const std::string& step, const std::string& flag) {
  return Denial{"limit", step, flag, flag + " with more", DenialSource::kKernel, 1};
}

}  // namespace pinfold::supervisor
