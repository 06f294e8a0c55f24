// filter.h: builds the one filter that every command runs under.
// Invariant: the answer for a call depends only on the reviewed table and the options; foreign architectures are
// killed. Not here: installing it (child/command.cc), answering trapped calls (guard.cc).
#pragma once

#include <linux/filter.h>

#include <vector>

#include "pinfold/policy.h"

namespace pinfold::backend::on_linux {

// Calls that wait for the supervisor's answer. kNewNames: those that may create a name. kChanges: those that may change
// anything by name, too.
enum class Traps { kOff, kNewNames, kChanges };

// What keeps the sandbox and the host apart, besides this filter. kRules: Landlock alone.
enum class Apart { kNamespaces, kRules };

// Memory that belongs to no process is seen by a cgroup only: where the supervisor counts (there is a limit and no
// cgroup that holds it), it must not come into being.
enum class SharedMemory { kAllowed, kRefused };

struct FilterOptions {
  ExecMode exec = ExecMode::kAny;
  Traps traps = Traps::kOff;
  SharedMemory shared_memory = SharedMemory::kAllowed;
  Apart apart = Apart::kNamespaces;
  NetworkMode network = NetworkMode::kNone;  // with kRules
  int landlock_abi = 0;                      // with kRules
  ObserveMode observe = ObserveMode::kOff;   // more calls wait for the supervisor, to be seen
  Debuggers debuggers = Debuggers::kRefused;
  bool asks = false;       // with `observe`: opening for reading waits, too
  std::uint32_t mark = 0;  // in a spare argument of the calls that start the command: not waited for
};

std::vector<sock_filter> build_filter(const FilterOptions& options);

}  // namespace pinfold::backend::on_linux
