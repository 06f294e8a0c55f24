// arguments.h: the blueprint's operations as arguments of bubblewrap.
// Invariant: the same operations, in the same order, as in the native backend; an operation that bubblewrap cannot do
// is an error, never left out. Uses only options of bubblewrap 0.8.
// Not here: starting it.
#pragma once

#include <string>
#include <vector>

#include "backend/linux/lower/lower.h"

namespace pinfold::backend::on_linux {

struct BubblewrapArguments {
  std::vector<std::string> values;  // for --args: without the program and without the command
  // The arguments may name descriptors: from child::kFirstFreeDescriptor on, first one for each of these texts, then
  // one for the source of each of these operations, then `empty_files` empty ones.
  std::vector<std::string> files;
  std::vector<std::size_t> sources;
  std::size_t empty_files = 0;
};

// A setuid bubblewrap gets no --unshare-user: root would own the namespace, and the supervisor could not read trapped
// calls. It takes no sizes either: a tmpfs can then use half of the memory.
enum class Privilege { kNone, kSetuid };

Result<BubblewrapArguments> bubblewrap_arguments(const LoweredPlan& lowered, Privilege privilege);

}  // namespace pinfold::backend::on_linux
