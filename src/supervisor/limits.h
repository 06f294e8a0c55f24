// limits.h: reads the limits of a plan.
// Not here: enforcing (backend, supervisor.cc).
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "base/units.h"
#include "pinfold/coverage.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

inline std::optional<std::uint64_t> limit_of(const Plan& plan, LimitKind kind) {
  for (const Step& step : plan.steps)
    if (const auto* limit = std::get_if<LimitStep>(&step.body); limit != nullptr && limit->kind == kind)
      return limit->amount;
  return std::nullopt;
}

// The flag with twice the present amount.
inline std::string flag_for_more(const LimitStep& limit, const std::string& flag) {
  if (limit.amount > std::numeric_limits<std::int64_t>::max() / 2) return {};
  const std::uint64_t more = 2 * limit.amount;
  switch (limit.kind) {
    case LimitKind::kWallTime:
    case LimitKind::kCpuTime:
      return flag + " " + units::format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(more)));
    case LimitKind::kProcesses: return flag + " " + std::to_string(more);
    case LimitKind::kMemory:
    case LimitKind::kFileSize:
    case LimitKind::kOutputSize: break;
  }
  return flag + " " + units::format_size(more);
}

// `step`: the limit's row of coverage. `flag`: sets the limit.
inline Denial limit_denial(const Plan& plan, const std::string& step, const std::string& flag) {
  Denial out{"limit", step, flag, "", DenialSource::kKernel, 1};
  for (const Step& one : plan.steps) {
    const auto* limit = std::get_if<LimitStep>(&one.body);
    if (limit == nullptr || coverage_row(one) != step) continue;
    out.allow_with = flag_for_more(*limit, flag);
    if (!one.origin.where.empty()) out.rule = one.origin.where;  // the limit may come from a file or a preset
  }
  return out;
}

}  // namespace pinfold::supervisor
