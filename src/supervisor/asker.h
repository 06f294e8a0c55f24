// asker.h: whom the supervisor asks while a program in the sandbox waits.
// Invariant: never waits itself; replies at most once, perhaps before ask() returns; no asker means no.
// Not here: who is asked and how (src/session, src/cli, src/web), what a yes changes (backend).
#pragma once

#include <cstdint>
#include <functional>

#include "pinfold/question.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

class Asker {
 public:
  using Reply = std::function<void(Answer)>;
  virtual ~Asker() = default;
  virtual void ask(AccessQuestion question, Reply reply) = 0;
  // Whoever waited is gone: nobody has to answer any more.
  virtual void withdraw(std::uint64_t id) = 0;
  // What a yes gave is in force, or could not be given.
  virtual void granted(const Grant& grant, Answer answer) { static_cast<void>(grant), static_cast<void>(answer); }
  // What happened besides, for whoever looks on.
  virtual void denied(const Denial& denial) { static_cast<void>(denial); }
  virtual void connected(const Connection& connection) { static_cast<void>(connection); }
};

}  // namespace pinfold::supervisor
