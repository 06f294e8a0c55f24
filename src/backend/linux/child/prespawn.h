// prespawn.h: a command's process that exists before its request: cloned, its filter installed, waiting.
// Invariant: no code of the user's has run in it; it takes one kRun request without a terminal, and leaves every other
// in the socket.
// Not here: commands with a terminal, or whose ruleset may grow until they start: those are forked on request.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "backend/linux/child/command.h"
#include "backend/linux/child/request.h"

namespace pinfold::backend::on_linux::child {

struct PrespawnedCommand {
  CommandStart start;
  Request request;
  int control;                   // requests arrive here
  pid_t command_init;            // the parent of this process
  int trap;                      // as in RequestMessage
  bool is_taken;                 // this process has received a request
  std::int64_t last_pid_before;  // the last pid given out before it, and the function that reads it
  std::int64_t (*last_pid)(const void* init) noexcept;
  const void* init;
};

// Returns when a command runs, when it failed to (see `start.failure`), or when no request was taken. The pid, or -1 if
// the process could not be made.
pid_t run_prespawned(PrespawnedCommand& command) noexcept;

}  // namespace pinfold::backend::on_linux::child
