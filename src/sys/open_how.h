// open_how.h: opens a path with openat2() and RESOLVE_* flags for every component.
// Invariant: retries on EAGAIN, which the kernel returns if a rename or mount anywhere on the host races with a walk
// over ".." or a symlink, so that a process cannot make the call fail by renaming files.
// Not here: kernels without openat2().
#pragma once

#include <cstdint>

#include "sys/fd.h"

namespace pinfold::sys {

// Adds O_CLOEXEC; `mode` is for a new file. If the result is not open, errno has the reason.
Fd open_under(int at, const char* path, std::uint64_t flags, std::uint64_t resolve, std::uint64_t mode = 0);

}  // namespace pinfold::sys
