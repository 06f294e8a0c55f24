// filter.h: builds the one seccomp filter that every command runs under.
// Invariant: the action for a call depends only on the reviewed table and the options; calls of a foreign architecture
// kill the process. Not here: installing the filter (child/command.cc), handling trapped calls (guard.cc).
#pragma once

#include <linux/filter.h>

#include <vector>

#include "pinfold/policy.h"

namespace pinfold::backend::on_linux {

// The trapped calls, which wait for the supervisor's response. kNewNames: those that may create a name. kChanges: also
// those that may change a file by name.
enum class Traps { kOff, kNewNames, kChanges };

// The mechanism that isolates the sandbox from the host, besides this filter.
enum class Isolation { kNamespaces, kLandlockOnly };

// Only a cgroup counts memory that belongs to no process (memfd, System V shared memory). Where the supervisor polls
// the limit itself, because there is no cgroup for it, the filter refuses such memory.
enum class SharedMemory { kAllowed, kRefused };

struct FilterOptions {
  ExecMode exec = ExecMode::kAny;
  Traps traps = Traps::kOff;
  SharedMemory shared_memory = SharedMemory::kAllowed;
  Isolation isolation = Isolation::kNamespaces;
  NetworkMode network = NetworkMode::kNone;  // with kLandlockOnly
  int landlock_abi = 0;                      // with kLandlockOnly
  ObserveMode observe = ObserveMode::kOff;   // traps more calls, for the report
  Debuggers debuggers = Debuggers::kRefused;
  bool asks = false;       // with `observe`: traps opens for reading, too
  std::uint32_t mark = 0;  // a spare argument of the calls that start the command: with this value they are not trapped
};

std::vector<sock_filter> build_filter(const FilterOptions& options);

}  // namespace pinfold::backend::on_linux
