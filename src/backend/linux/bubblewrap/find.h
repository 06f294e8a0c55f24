// find.h: the system's own bubblewrap, and nothing else of that name.
// Invariant: a program is run only if nobody but the given owners could have written it, or put another in its place;
// what was judged is what is executed, by descriptor. Not here: PATH, which anybody may set.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

// A regular file that can be executed, it and every directory above it owned by one of `owners` and not writable by
// anyone else; likewise for each symlink on the way to it.
Result<sys::Fd> open_trusted_program(const std::string& path, const std::vector<uid_t>& owners);

struct FoundBubblewrap {
  std::string path;
  sys::Fd program;
  bool is_setuid = false;
};

const std::vector<std::string>& system_directories();

// The first in these directories that can be trusted. The error says why those that are there cannot be.
Result<FoundBubblewrap> find_bubblewrap(const std::vector<std::string>& directories, const std::vector<uid_t>& owners);

}  // namespace pinfold::backend::on_linux
