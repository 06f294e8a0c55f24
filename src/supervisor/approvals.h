// approvals.h: from what was denied and waits to a question, and from the answer to a wider sandbox.
// Invariant: what is granted for longer than once becomes a new policy, hence a new plan, before it is in force; what
// cannot be put in force is refused, and said. Not here: who is asked (asker.h), mounts (backend), connections
// (network.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "pinfold/grant.h"
#include "pinfold/plan.h"
#include "pinfold/question.h"
#include "supervisor/asker.h"

namespace pinfold::supervisor {

// The plan of the same policy with all of these on top.
using Widen = std::function<Result<Plan>(const std::vector<Grant>& grants)>;

// As if it could be allowed once, and for longer.
AccessQuestion question_about(const Denial& denial);

class Asking {
 public:
  struct Hooks {
    std::function<backend::Sandbox&()> sandbox;
    // Puts a grant of the network in force, or for one use.
    std::function<Result<void>(const Grant& grant, Answer answer)> reach;
    std::function<Result<void>(const Grant& grant)> reach_no_more;
    std::function<void(Denial denial)> denied;
    std::function<void(std::string note)> note;
  };
  Asking(Asker& asker, Widen widen, Hooks hooks) : asker_(asker), widen_(std::move(widen)), hooks_(std::move(hooks)) {}

  // For a call that waits in the sandbox.
  void ask(std::uint64_t call, const Denial& denial, backend::Once once);
  void withdrawn(std::uint64_t call);
  // For a name that is being looked up; `done`: it has been put in force, or not.
  void ask(const Denial& denial, std::function<void(bool granted)> done);

  Result<void> take_back(const Grant& grant);

 private:
  AccessQuestion question(const Denial& denial, backend::Once once);
  void settle(std::uint64_t call, const Denial& denial, Answer answer);
  Result<void> put_in_force(std::uint64_t call, const Denial& denial, Answer answer);

  Asker& asker_;
  Widen widen_;
  Hooks hooks_;
  std::map<std::uint64_t, std::uint64_t> waiting_;  // call → question
  std::uint64_t next_ = 1;
  std::vector<Grant> grants_;  // of paths, for the session
};

}  // namespace pinfold::supervisor
