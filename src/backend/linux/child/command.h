// command.h: one command, from init's fork to exec.
// Invariant: runs on init's memory, and leaves nothing there but the fields of CommandStart.
// Not here: the request (request.h), a process forked before its request (prespawn.h).
#pragma once

#include <sys/types.h>

#include "backend/linux/child/blueprint.h"
#include "backend/linux/child/protocol.h"

namespace pinfold::backend::on_linux::child {

struct CommandStart {
  const CommandFrame* frame;
  const RequestMessage* message;
  char** argv;
  char** environment;
  const char* search_path;
  const char* working_dir;
  int stdio[3];      // the descriptors that become 0, 1, 2
  int terminal;      // slave side or -1
  int ruleset;       // a Landlock ruleset to enter, or -1
  int listener_out;  // a socket that passes the seccomp listener back to init
  int nulls[3];      // /dev/null for reading, writing, both, opened before the filter; or kNoNullDevice, kNotOpened
  int spared_fd;     // not closed before exec, for a reader that waits for its end; or -1
  mode_t umask;      // the caller's own
  Failure failure;   // filled by the child, which shares PID 1's memory until exec
  bool has_listener;
};

// Opens the sandbox's own /dev/null. kNotOpened: no answer yet, or the call failed for want of a resource.
inline constexpr int kNotOpened = -1, kNoNullDevice = -2;
int open_null_device(int mode) noexcept;

CommandStart command_start(const CommandFrame& frame, int ruleset, int listener_out, mode_t umask) noexcept;

// Call in the child. A prespawned process installs the filter first; from then on it may use only calls that the filter
// allows.
enum class FilterState { kNotInstalled, kInstalled };
bool install_filter(CommandStart& start, int trap) noexcept;
[[noreturn]] void exec_command(CommandStart& start, FilterState filter) noexcept;

// Returns the pid, or -1 with `start.failure` set, once exec has succeeded or failed.
pid_t start_command(CommandStart& start) noexcept;

}  // namespace pinfold::backend::on_linux::child
