// find.h: finds the system's own bubblewrap, and no other program of that name.
// Invariant: runs a program only if the given owners alone could have written or replaced it; executes the checked file
// by descriptor.
// Not here: PATH, which any user may set.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

// An executable regular file; it and every directory above it must belong to one of `owners` and be writable by no
// other user; likewise each symlink on the way to it.
Result<sys::Fd> open_trusted_program(const std::string& path, const std::vector<uid_t>& owners);

struct BubblewrapProgram {
  std::string path;
  sys::Fd program;
  bool is_setuid = false;
};

const std::vector<std::string>& system_directories();

// The first trusted one in these directories. The error says why the others are not trusted.
Result<BubblewrapProgram> find_bubblewrap(const std::vector<std::string>& directories,
                                          const std::vector<uid_t>& owners);

}  // namespace pinfold::backend::on_linux
