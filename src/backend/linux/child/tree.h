// tree.h: the processes below this one, for a first process that has no pid namespace to end them with.
// Invariant: this process is a subreaper, so that nothing below it can leave the tree.
#pragma once

#include <sys/types.h>

namespace pinfold::backend::on_linux::child {

// `proc`: /proc, opened before the command started. A mount over /proc does not change where processes are listed.
void list_from(int proc) noexcept;

// To every process below this one. False: there is none.
bool signal_everything_below(int number) noexcept;
// Returns when no process is left. Stops all of them before it kills them, so that none forks in between. `child`: the
// pidfd of a direct child, or -1; it is ended also where /proc lists nothing. False: there are children left that /proc
// has not listed for five seconds.
bool end_everything_below(int child) noexcept;

// A process that has ended and is traced is its tracer's to wait for, and nobody else's before that.
void end_tracer_of(pid_t process) noexcept;

}  // namespace pinfold::backend::on_linux::child
