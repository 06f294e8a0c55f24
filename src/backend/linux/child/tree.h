// tree.h: the processes below this one, for a first process that has no pid namespace to end them with.
// Invariant: this process is a subreaper, so that nothing below it can leave the tree.
#pragma once

#include <sys/types.h>

namespace pinfold::backend::on_linux::child {

// To every process below this one. False: there is none.
bool signal_everything_below(int number) noexcept;
// Returns when there is none left. What forks meanwhile is stopped first, then ended.
void end_everything_below() noexcept;

// A process that has ended and is traced is its tracer's to wait for, and nobody else's before that.
void end_tracer_of(pid_t process) noexcept;

}  // namespace pinfold::backend::on_linux::child
