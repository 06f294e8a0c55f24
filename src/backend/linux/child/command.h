// command.h: one command, from PID 1's fork to exec.
// Invariant: all of it happens on PID 1's memory; nothing is left behind there but what CommandStart says.
// Not here: what is asked for (request.h), a process that is there before it is asked for (prespawn.h).
#pragma once

#include <sys/types.h>

#include "backend/linux/child/blueprint.h"
#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

struct CommandStart {
  const CommandFrame* frame;
  const Asked* asked;
  char** argv;
  char** environment;
  const char* search_path;
  const char* working_dir;
  int stdio[3];      // what becomes 0, 1, 2
  int terminal;      // slave side or -1
  int ruleset;       // Landlock's, to be entered, or -1
  int listener_out;  // a socket on which the seccomp listener comes back to PID 1
  int nulls[3];      // where the filter stands already: /dev/null for reading, for writing, for both; or -1
  int kept_open;     // until exec, for somebody who waits for that; or -1
  mode_t umask;      // the caller's own
  Failure failure;   // filled by the child, which shares PID 1's memory until exec
  bool has_listener;
};

CommandStart command_start(const CommandFrame& frame, int ruleset, int listener_out, mode_t umask) noexcept;

// In the child. The filter first where it is put up ahead of time; from then on every call has to be one that it lets
// through.
enum class Filter { kToCome, kStands };
bool filter_calls(CommandStart& start, int trap) noexcept;
[[noreturn]] void become_command(CommandStart& start, Filter filter) noexcept;

// The pid, or -1 with `start.failure` set. Returns once the command has been executed (or has failed to be).
pid_t start_command(CommandStart& start) noexcept;

}  // namespace pinfold::backend::on_linux::child
