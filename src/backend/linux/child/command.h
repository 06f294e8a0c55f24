// command.h: one command, from PID 1's fork to exec.
#pragma once

#include <sys/types.h>

#include "backend/linux/child/blueprint.h"
#include "backend/linux/child/wire.h"

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
  mode_t umask;      // the caller's own
  Failure failure;   // filled by the child, which shares PID 1's memory until exec
  bool has_listener;
};

// The pid, or -1 with `start.failure` set. Returns once the command has been executed (or has failed to be).
pid_t start_command(CommandStart& start) noexcept;

}  // namespace pinfold::backend::on_linux::child
