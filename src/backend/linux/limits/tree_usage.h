// tree_usage.h: the resource usage of all processes of a sandbox, read from /proc.
// Invariant: CPU time once read stays in the sum, also that of processes that were never reaped: the kernel adds a
// process's time to its parent only then.
// Not here: reacting to it (supervisor).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

class TreeMeter {
 public:
  // Of all processes that this /proc shows, or, if `tree` is not 0, of those below it.
  std::optional<TreeUsage> read(int proc, pid_t tree);

  struct ProcessUsage {
    pid_t parent = 0;
    std::uint64_t start_time = 0;  // distinguishes a process from an earlier one with the same pid
    std::uint64_t memory = 0;
    std::uint64_t shared = 0;    // of that, memory that other processes may share
    std::uint64_t own = 0;       // ticks
    std::uint64_t children = 0;  // ticks of children that were reaped
  };
  using Processes = std::unordered_map<pid_t, ProcessUsage>;

 private:
  std::uint64_t lost_between(const Processes& now) const;

  Processes last_;
  std::uint64_t lost_ = 0;
};

// Is `process` a descendant of `tree`? By this program's own /proc.
bool is_below(pid_t process, pid_t tree);

}  // namespace pinfold::backend::on_linux
