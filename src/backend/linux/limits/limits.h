// limits.h: which mechanism holds each limit on this host: rlimits, the pid namespace, a cgroup, or the supervisor's
// watch. Invariant: exactly one place decides, so that what is enforced and what coverage says cannot differ. Not here:
// the watch itself (supervisor), wall time and output size (supervisor).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pinfold/coverage.h"
#include "pinfold/plan.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct Lowered;

// Who counts this sandbox's processes apart from the user's others, where no cgroup does. kPids: a pid namespace that
// the first process can bound, and a user namespace. kUsers: only that, which does not count root's. kNobody: neither.
enum class Counting { kPids, kUsers, kNobody };

// Rlimits and pid_max for the limits that they can hold.
void lower_limits(const std::vector<LimitStep>& limits, std::uint32_t uid, Counting counting, Lowered& out);

// A cgroup of this run's own, where the caller may make one (root, or a delegated tree): v2, or v1 per controller.
class Cgroup {
 public:
  Cgroup() = default;
  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&& other) noexcept;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup();

  // Does any of these limits want one?
  static bool is_wanted(const std::vector<LimitStep>& limits, Counting counting);
  static std::string fresh_name();
  // Makes what the limits need; controllers that cannot be had are left to the other mechanisms.
  static Cgroup create(const std::vector<LimitStep>& limits, Counting counting, const std::string& name);
  // For the janitor, who is there before the cgroup is and knows only what it would be called.
  static void remove_named(const std::string& name);
  bool holds(LimitKind kind) const;
  // Takes away the rlimits in whose place it stands, and which would count others as well.
  void relieve(Lowered& lowered) const;
  const std::vector<std::string>& directories() const { return directories_; }
  // Moves a process in; everything it forks follows.
  Result<void> enter(int pid) const;
  std::uint64_t peak_memory() const;
  bool out_of_memory() const;  // the kernel ended something in it
  // False: one is left.
  bool remove();

 private:
  std::vector<std::string> directories_;
  std::string memory_;
  std::string pids_;
  bool v2_ = false;
};

// The coverage row of one limit.
Coverage limit_coverage(const LimitStep& limit, Need need, std::uint32_t uid, Counting counting, const Cgroup& cgroup);

// True when the supervisor must poll for it.
bool limit_is_watched(LimitKind kind);

}  // namespace pinfold::backend::on_linux
