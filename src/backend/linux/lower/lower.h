// lower.h: plan → blueprint: mount operations, maps, limits, rights, as plain data for the child.
// Invariant: parents come before what lies in them; nothing is made on the host except directories the plan says to
// keep. Not here: following the blueprint (child/), deciding (plan).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/linux/child/blueprint.h"
#include "backend/linux/landlock.h"
#include "backend/linux/seccomp/filter.h"
#include "pinfold/plan.h"

namespace pinfold::backend::on_linux {

// Owns everything that the blueprint points into.
struct Lowered {
  child::Blueprint blueprint{};
  child::CommandFrame frame{};
  std::vector<child::Op> ops;
  std::vector<sock_filter> filter;
  FilterOptions plain;  // of the filter without traps, where a listener cannot be had
  std::deque<std::string> text;
  std::optional<Environment> environment;  // instead of the plan's own, where places have other names
  bool private_network = true;
  bool traps = false;  // some name is guarded by watching, or calls are seen for the report
  ObserveMode observe = ObserveMode::kOff;
  bool asks = false;             // what is denied may be granted while it runs
  std::string why_not_observed;  // the plan says so, and the kernel cannot
};

// Makes a private directory of Pinfold's own, owner-only, with its parents and the names wanted in it.
Result<void> make_kept_directory(const std::string& path, const std::vector<std::string>& subdirectories);

// Can this sandbox be widened while it runs?
enum class Growth { kFixed, kLive };

// The filter with its traps, and with those of observation where the plan has it and the kernel can: before 5.19 a
// signal interrupts a call that waits, which programs would notice.
void build_filters(const Plan& plan, Traps traps, Growth growth, Lowered& out);

Result<std::unique_ptr<Lowered>> lower(const Plan& plan, const LandlockSupport& landlock, SharedMemory shared_memory,
                                       Growth growth);

}  // namespace pinfold::backend::on_linux
