// answer_wait.h: waits for a session's next message for a limited time.
// Invariant: distinguishes a stopped session process from a slow one within a second.
// Not here: reading the message (channel.h).
#pragma once

#include <sys/types.h>

#include <chrono>

#include "control/channel.h"
#include "pinfold/result.h"

namespace pinfold::control {

// The process at the other end; -1: not known.
pid_t session_process(const Channel& channel);

// Whether the process is stopped by a signal or a debugger (state T or t in /proc/PID/stat).
bool is_stopped(pid_t process);
// kUnavailable, with the command that continues the process.
Error stopped_error(pid_t process);

// Returns when there is a message to receive, or the other end has closed. kUnavailable: the session's process is
// stopped, or sent nothing within `patience`.
Result<void> await_answer(const Channel& channel, std::chrono::milliseconds patience);

}  // namespace pinfold::control
