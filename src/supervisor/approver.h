// approver.h: the interface that decides about approval requests of the supervisor.
// Invariant: never blocks; replies at most once, perhaps before ask() returns; without an approver requests are denied.
// Not here: prompts (src/session, src/cli, src/web), applying a decision (approvals.h, backend).
#pragma once

#include <cstdint>
#include <functional>

#include "pinfold/approval.h"
#include "pinfold/report.h"
#include "pinfold/result.h"
#include "sys/event_loop.h"

namespace pinfold::supervisor {

// The command's relayed streams: held back while a prompt is on the screen.
class Streams {
 public:
  virtual ~Streams() = default;
  virtual void hold() = 0;
  virtual void release() = 0;
  // Sends SIGINT to the command, as Ctrl-C would while the command has the terminal.
  virtual void interrupt() = 0;
};

class Approver {
 public:
  using Reply = std::function<void(ApprovalDecision)>;
  virtual ~Approver() = default;
  // The command has started; all other calls come from this loop, until end().
  virtual void begin(sys::EventLoop& loop, Streams& streams) { static_cast<void>(loop), static_cast<void>(streams); }
  virtual void end() {}
  virtual void ask(ApprovalRequest request, Reply reply) = 0;
  // The requesting process has exited: no decision is needed any more.
  virtual void withdraw(std::uint64_t id) = 0;
  // A session or always grant has been applied to the sandbox.
  virtual void granted(const Grant& grant, ApprovalDecision decision) {
    static_cast<void>(grant), static_cast<void>(decision);
  }
  // Other events, for user interfaces that only watch.
  virtual void denied(const Denial& denial) { static_cast<void>(denial); }
  virtual void connected(const Connection& connection) { static_cast<void>(connection); }
  // Set while a command runs: removes a grant from its sandbox; open files and connections stay open.
  std::function<Result<void>(const Grant& grant)> take_back;
};

}  // namespace pinfold::supervisor
