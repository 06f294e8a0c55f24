// asker.h: whom the supervisor asks while a program in the sandbox waits.
// Invariant: never waits itself; replies at most once, perhaps before ask() returns; no asker means no.
// Not here: who is asked and how (src/session, src/cli, src/web), what a yes changes (approvals.h, backend).
#pragma once

#include <cstdint>
#include <functional>

#include "pinfold/question.h"
#include "pinfold/report.h"
#include "pinfold/result.h"
#include "sys/event_loop.h"

namespace pinfold::supervisor {

// The command's streams, as far as they pass through us: held back while a question is on the screen.
class Streams {
 public:
  virtual ~Streams() = default;
  virtual void hold() = 0;
  virtual void release() = 0;
  // As if the user had typed it while the command had the terminal.
  virtual void interrupt() = 0;
};

class Asker {
 public:
  using Reply = std::function<void(Answer)>;
  virtual ~Asker() = default;
  // The command runs; all that follows comes from this loop, until end().
  virtual void begin(sys::EventLoop& loop, Streams& streams) { static_cast<void>(loop), static_cast<void>(streams); }
  virtual void end() {}
  virtual void ask(AccessQuestion question, Reply reply) = 0;
  // Whoever waited is gone: nobody has to answer any more.
  virtual void withdraw(std::uint64_t id) = 0;
  // What a yes gave is in force.
  virtual void granted(const Grant& grant, Answer answer) { static_cast<void>(grant), static_cast<void>(answer); }
  // What happened besides, for whoever looks on.
  virtual void denied(const Denial& denial) { static_cast<void>(denial); }
  virtual void connected(const Connection& connection) { static_cast<void>(connection); }
  // Set while a command runs: takes a grant out of its sandbox; what is open stays open.
  std::function<Result<void>(const Grant& grant)> take_back;
};

}  // namespace pinfold::supervisor
