// tree_usage.h: what all processes of a sandbox use together, read from /proc.
// Invariant: time that was seen stays in the sum, also of processes that nobody waited for: the kernel adds a process
// to its parent only then. Not here: what is done about it (supervisor).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

class TreeMeter {
 public:
  // Of all that this /proc shows, or only of those below the process `tree` where that is not 0.
  std::optional<TreeUsage> read(int proc, pid_t tree);

  struct Seen {
    pid_t parent = 0;
    std::uint64_t began = 0;  // tells a process from an earlier one of the same number
    std::uint64_t memory = 0;
    std::uint64_t shared = 0;    // of that, what others may have, too
    std::uint64_t own = 0;       // ticks
    std::uint64_t children = 0;  // ticks of those that were waited for
  };
  using Processes = std::unordered_map<pid_t, Seen>;

 private:
  std::uint64_t lost_between(const Processes& now) const;

  Processes last_;
  std::uint64_t lost_ = 0;
};

// Is `process` a descendant of `tree`? By this program's own /proc.
bool is_below(pid_t process, pid_t tree);

}  // namespace pinfold::backend::on_linux
