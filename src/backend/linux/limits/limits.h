// limits.h: which mechanism enforces each limit on this host: rlimits, the pid namespace, a cgroup, or polling by the
// supervisor.
// Invariant: exactly one place decides, so that enforcement and coverage cannot differ.
// Not here: polling, wall time and output size (supervisor).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pinfold/coverage.h"
#include "pinfold/plan.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct LoweredPlan;

// Which namespaces count this sandbox's processes apart from the user's others, where no cgroup does. kPids: a pid
// namespace that init can limit, and a user namespace. kUsers: only a user namespace, which does not limit root. kNone:
// neither.
enum class Counting { kPids, kUsers, kNone };

// Sets rlimits and pid_max for the limits that they can enforce.
void lower_limits(const std::vector<LimitStep>& limits, std::uint32_t uid, Counting counting, LoweredPlan& out);

// A cgroup of this run's own, if the caller may make one (root, or a delegated tree): v2, or v1 per controller.
class Cgroup {
 public:
  Cgroup() = default;
  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&& other) noexcept;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup();

  // Does any of these limits need one?
  static bool is_wanted(const std::vector<LimitStep>& limits, Counting counting);
  static std::string fresh_name();
  // Makes the cgroups for these limits; limits whose controller is missing are left to the other mechanisms.
  static Cgroup create(const std::vector<LimitStep>& limits, Counting counting, const std::string& name);
  // For the janitor, which starts before the cgroup exists and knows only its name.
  static void remove_named(const std::string& name);
  bool holds(LimitKind kind) const;
  // Removes the rlimits that this cgroup replaces, and which would count other processes as well.
  void drop_replaced_rlimits(LoweredPlan& lowered) const;
  const std::vector<std::string>& directories() const { return directories_; }
  // Moves a process in; its children follow.
  Result<void> enter(int pid) const;
  std::uint64_t peak_memory() const;
  bool out_of_memory() const;  // the kernel killed a process in it
  // False: a cgroup is left.
  bool remove();

 private:
  std::vector<std::string> directories_;
  std::string memory_;
  std::string pids_;
  bool v2_ = false;
};

// The coverage row of one limit.
Coverage limit_coverage(const LimitStep& limit, Need need, std::uint32_t uid, Counting counting, const Cgroup& cgroup);

// True if the supervisor must poll for it.
bool limit_is_watched(LimitKind kind);

}  // namespace pinfold::backend::on_linux
