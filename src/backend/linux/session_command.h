// session_command.h: one command among others in a sandbox that stays.
// Invariant: its end, wanted or not, is the end of its own tree at most; what it left behind by ending by itself stays.
// Not here: the sandbox (sandbox.cc), who keeps it inside (child/init.cc).
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/linux/init/init_channel.h"
#include "backend/linux/lower/lower.h"

namespace pinfold::backend::on_linux {

// The sandbox, as its commands see it.
class CommandHost {
 public:
  virtual ~CommandHost() = default;
  virtual const std::vector<Coverage>& all_coverage() const = 0;
  virtual const Lowered& walls() const = 0;
  virtual const Plan& plan() const = 0;
  virtual const Environment* variables() const = 0;
  virtual bool is_trapped() const = 0;
  virtual int landlock_abi() const = 0;
  // From now on somebody inside listens at the other end.
  virtual Result<Line> open_line() = 0;
  virtual void expect_another() = 0;
  // Answers the trapped calls of a command and of what it leaves behind; what is to be told goes to `events`, until
  // those leave.
  virtual void take_calls(sys::Fd listener, SandboxEvents& events) = 0;
  virtual void leave(const SandboxEvents& events) = 0;
  virtual void read_on(sys::Fd stream) = 0;
};

// `host` must outlive it.
Result<std::unique_ptr<Sandbox>> keep_command(CommandHost& host);

}  // namespace pinfold::backend::on_linux
