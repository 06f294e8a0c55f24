// session_command.h: one command of a session; several commands share the session's sandbox.
// Invariant: ending a command ends at most its own process tree. Background processes of a command that exits by itself
// go on running. Not here: the sandbox (sandbox.cc), the command's init process (child/init.cc).
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/linux/init/init_channel.h"
#include "backend/linux/lower/lower.h"

namespace pinfold::backend::on_linux {

// The interface of the sandbox to its commands.
class CommandHost {
 public:
  virtual ~CommandHost() = default;
  virtual const std::vector<Coverage>& all_coverage() const = 0;
  virtual const LoweredPlan& lowered() const = 0;
  virtual const Plan& plan() const = 0;
  virtual const Environment* variables() const = 0;
  virtual bool is_trapped() const = 0;
  virtual int landlock_abi() const = 0;
  // A command init in the sandbox serves the other end of this channel.
  virtual Result<InitChannel> open_channel() = 0;
  virtual void prefork_next() = 0;
  // Handles the trapped calls of a command and of its background processes, and reports to `events` until
  // detach_events().
  virtual void add_listener(sys::Fd listener, SandboxEvents& events) = 0;
  virtual void detach_events(const SandboxEvents& events) = 0;
  virtual void drain(sys::Fd stream) = 0;
};

// `host` must outlive it.
Result<std::unique_ptr<Sandbox>> open_session_command(CommandHost& host);

}  // namespace pinfold::backend::on_linux
