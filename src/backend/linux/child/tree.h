// tree.h: the descendants of this process, for an init without a pid namespace to end them.
// Invariant: this process is a subreaper, so that no descendant can leave the tree.
#pragma once

#include <sys/types.h>

namespace pinfold::backend::on_linux::child {

// `proc`: /proc, opened before the command started: a mount over /proc does not change this descriptor.
void set_proc_directory(int proc) noexcept;

// Signals every descendant. False: there is none.
bool signal_descendants(int number) noexcept;
// Returns when no descendant is left. Stops all of them before it kills them, so that none forks in between. `child`:
// the pidfd of a direct child, or -1; it is killed also where /proc lists nothing. False: processes are left after 60
// s, or /proc has listed none, not even this one, for 5 s.
bool kill_descendants(int child) noexcept;

// Only the tracer of a process that has ended can reap it; its parent can once the tracer is gone.
void kill_tracer_of(pid_t process) noexcept;

}  // namespace pinfold::backend::on_linux::child
