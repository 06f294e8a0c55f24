// arguments.h: the blueprint's operations in bubblewrap's words.
// Invariant: the same operations, in the same order, that the native backend's first process follows; an operation that
// bubblewrap cannot do is an error, never left out. Only words that bubblewrap 0.8 knows. Not here: starting it.
#pragma once

#include <string>
#include <vector>

#include "backend/linux/lower/lower.h"

namespace pinfold::backend::on_linux {

struct BubblewrapArguments {
  std::vector<std::string> words;  // for --args: without the program and without the command
  // Words may name descriptors: from child::kFirstFreeDescriptor on one for each of these texts, then one for the
  // source of each of these operations, then so many empty ones.
  std::vector<std::string> files;
  std::vector<std::size_t> sources;
  std::size_t empty_files = 0;
};

// A setuid bubblewrap is asked for no user namespace: root would own it, and trapped calls could not be looked at. It
// takes no sizes either, and a file system in memory can hold half of it.
enum class Privilege { kNone, kSetuid };

Result<BubblewrapArguments> bubblewrap_arguments(const Lowered& lowered, Privilege privilege);

}  // namespace pinfold::backend::on_linux
