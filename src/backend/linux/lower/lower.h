// lower.h: plan → blueprint: mount operations, maps, limits, rights, as plain data for init.
// Invariant: parents precede their contents; makes nothing on the host except the directories that the plan keeps.
// Not here: applying the blueprint (child/), deciding (plan).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/linux/child/blueprint.h"
#include "backend/linux/landlock_abi.h"
#include "backend/linux/seccomp/filter.h"
#include "pinfold/plan.h"

namespace pinfold::backend::on_linux {

// Owns all data that the blueprint points to.
struct LoweredPlan {
  child::Blueprint blueprint{};
  child::CommandFrame frame{};
  std::vector<child::Op> ops;
  std::vector<sock_filter> filter;
  FilterOptions plain;  // for the filter without traps, where no listener can be had
  std::deque<std::string> text;
  std::optional<Environment> environment;  // instead of the plan's own, where paths have other names inside
  bool private_network = true;
  bool traps = false;  // trapped calls guard a name, or are observed for the report
  ObserveMode observe = ObserveMode::kOff;
  bool asks = false;             // denied access may be granted while the command runs
  std::string why_not_observed;  // the plan asks for it, and the kernel cannot
};

// Makes a private directory of Pinfold's own, mode 0700, with its parents and subdirectories.
Result<void> make_kept_directory(const std::string& path, const std::vector<std::string>& subdirectories);

// kLive: the sandbox can get more mounts while it runs.
enum class Growth { kFixed, kLive };

// The filter with its traps, and with those for observation if the plan wants it and the kernel can: before 5.19 a
// signal interrupts a trapped call, which programs would notice.
void build_filters(const Plan& plan, Traps traps, Growth growth, LoweredPlan& out);

Result<std::unique_ptr<LoweredPlan>> lower(const Plan& plan, const LandlockSupport& landlock,
                                           SharedMemory shared_memory, Growth growth);

}  // namespace pinfold::backend::on_linux
