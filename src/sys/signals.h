// signals.h: signals that the kernel sends together with an error of write().
// Invariant: a program that we execute starts with the dispositions that our caller gave us: execve() resets handlers.
// Not here: signals that people send (supervisor/signals.h).
#pragma once

namespace pinfold::sys {

// A write beyond RLIMIT_FSIZE raises SIGXFSZ, which ends a process by default. After this call the write only fails
// with EFBIG.
void survive_file_size_limit();

// A write to a pipe without a reader raises SIGPIPE. After this call the write only fails with EPIPE.
void survive_broken_pipes();

}  // namespace pinfold::sys
