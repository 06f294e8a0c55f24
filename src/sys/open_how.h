// open_how.h: a name opened under rules for its whole walk (openat2).
// Invariant: a rename or a mount anywhere on the host that races with a walk over ".." or a symlink makes the kernel
// ask for another try; it gets them, so that nobody can make a look fail by renaming things. Not here: kernels without
// it.
#pragma once

#include <cstdint>

#include "sys/fd.h"

namespace pinfold::sys {

// O_CLOEXEC is added; `mode` is for a file that is made. Not open: see errno.
Fd open_under(int at, const char* path, std::uint64_t flags, std::uint64_t resolve, std::uint64_t mode = 0);

}  // namespace pinfold::sys
