// signals.h: signals that the kernel sends together with an error of write().
// Invariant: an executed program has the dispositions of Pinfold's caller: execve() resets handlers.
// Not here: signals from users and other processes (supervisor/signals.h).
#pragma once

namespace pinfold::sys {

// A write beyond RLIMIT_FSIZE raises SIGXFSZ, which ends a process by default. After this call the write only fails
// with EFBIG.
void survive_file_size_limit();

// A write to a pipe without a reader raises SIGPIPE. After this call the write only fails with EPIPE.
void survive_broken_pipes();

}  // namespace pinfold::sys
