// coverage.cc: the native backend's rows, weakened where bubblewrap cannot do the same.
// Invariant: never makes a row stronger.
// Not here: finding out the facts (bubblewrap.cc).
#include "backend/linux/bubblewrap/coverage.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <string>

namespace pinfold::backend::on_linux {
namespace {

constexpr const char* kLoader = "bubblewrap has no noexec mounts: a program that may run can load others by itself";

template <typename Body, typename Condition>
bool any_step(const Plan& plan, Condition condition) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* body = std::get_if<Body>(&step.body);
    return body != nullptr && condition(*body);
  });
}

std::uint64_t half_of_memory() {
  struct sysinfo memory {};
  return ::sysinfo(&memory) == 0 ? std::uint64_t{memory.totalram} * memory.mem_unit / 2 : ~std::uint64_t{0};
}

class CoverageAdjuster {
 public:
  CoverageAdjuster(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup, const BubblewrapFacts& bwrap)
      : plan_(plan), facts_(facts), cgroup_(cgroup), bwrap_(bwrap) {}

  void adjust(Coverage& row) const {
    if (row.step == step_name::kExec)
      exec(row);
    else if (row.step == step_name::kTmp)
      tmp(row);
    else if (row.step == step_name::kIdentity && !bwrap_.own_user_namespace)
      row.mechanism = "the caller's own ids, no user namespace; no capabilities, no_new_privs";
    else if (row.step == step_name::kProcessCount)
      processes(row);
  }

 private:
  void exec(Coverage& row) const {
    if (!any_step<ExecLimit>(plan_, [](const ExecLimit& each) { return each.mode != ExecMode::kAny; })) return;
    const bool none = any_step<ExecLimit>(plan_, [](const ExecLimit& each) { return each.mode == ExecMode::kNone; });
    row.mechanism = "only allowed programs shown, no memfd";
    if (none) row.mechanism += ", no fork";
    if (facts_.landlock_abi > 0) {
      row.mechanism += ", Landlock execute rights";
      weaken(row, Strength::kPartial, kLoader, "--backend native, where user namespaces can be had");
    } else {
      weaken(row, Strength::kAbsent, "bubblewrap has no noexec mounts: every readable file can be executed", row.fix);
    }
  }

  void tmp(Coverage& row) const {
    if (bwrap_.privilege == Privilege::kSetuid) {
      row.mechanism = "private tmpfs, each at most half of the memory";
      const std::uint64_t half = half_of_memory();
      if (any_step<PrivateTmp>(plan_, [&](const PrivateTmp& each) { return each.size < half; }))
        weaken(row, Strength::kPartial, "a setuid bubblewrap sets no smaller size", "a larger tmp size");
    }
    if (!any_step<PrivateTmp>(plan_, [](const PrivateTmp& each) { return !each.exec; })) return;
    if (facts_.landlock_abi > 0)
      weaken(row, Strength::kPartial, "programs written there can be loaded, though not executed", row.fix);
    else
      weaken(row, Strength::kPartial, "files written there can be executed", row.fix);
  }

  void processes(Coverage& row) const {
    const bool root = any_step<Identity>(plan_, [](const Identity& each) { return each.uid == 0; });
    if (bwrap_.own_user_namespace || root || cgroup_.holds(LimitKind::kProcesses)) return;
    row.mechanism = "RLIMIT_NPROC";
    weaken(row, Strength::kPartial, "without a user namespace all processes of the user are counted, not only these",
           "");
  }

  const Plan& plan_;
  const ConfinementFacts& facts_;
  const Cgroup& cgroup_;
  const BubblewrapFacts& bwrap_;
};

}  // namespace

std::vector<Coverage> bubblewrap_coverage(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup,
                                          const BubblewrapFacts& bwrap) {
  std::vector<Coverage> rows = native_coverage(plan, facts, cgroup);
  const CoverageAdjuster adjuster(plan, facts, cgroup, bwrap);
  for (Coverage& row : rows) adjuster.adjust(row);
  return rows;
}

}  // namespace pinfold::backend::on_linux
