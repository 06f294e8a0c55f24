// prespawn.h: a command's process that is there before the command is known: cloned, behind its filter, waiting.
// Invariant: nothing of the user's has run in it; it takes one plain request to run, and leaves every other where it
// is. Not here: commands that need a terminal, or rules that may grow until they start: those are started when asked
// for.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "backend/linux/child/command.h"
#include "backend/linux/child/request.h"

namespace pinfold::backend::on_linux::child {

struct Ready {
  CommandStart start;
  Request request;
  int control;        // where requests come from
  pid_t keeper;       // who makes this process
  int trap;           // as in Asked
  bool is_taken;      // a request was received, and is this process's to run
  std::int64_t made;  // the last pid that had been given out by then, and how to know
  std::int64_t (*last_pid)(const void* asker) noexcept;
  const void* asker;
};

// Waits for the end of that waiting: a command runs (or failed to, see `start.failure`), or nothing was taken. The pid,
// or -1 when there could be no such process.
pid_t wait_ready(Ready& ready) noexcept;

}  // namespace pinfold::backend::on_linux::child
