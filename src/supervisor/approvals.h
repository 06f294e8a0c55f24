// approvals.h: turns a waiting denied call into an approval request, and applies the decision to the sandbox.
// Invariant: a session or always grant is compiled into a new plan before it is applied; a grant that cannot be applied
// is denied and reported. Not here: the decision (approver.h), mounts (backend), connections (network.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "pinfold/approval.h"
#include "pinfold/grant.h"
#include "pinfold/plan.h"
#include "supervisor/approver.h"

namespace pinfold::supervisor {

// Compiles the plan of the same policy with these grants added.
using Widen = std::function<Result<Plan>(const std::vector<Grant>& grants)>;

// The request for a denial; all decisions are offered that the denial allows.
ApprovalRequest approval_request_for(const Denial& denial);

class Approvals {
 public:
  struct Hooks {
    std::function<backend::Sandbox&()> sandbox;
    // Applies a network grant; kOnce: for one use.
    std::function<Result<void>(const Grant& grant, ApprovalDecision decision)> grant_network;
    std::function<Result<void>(const Grant& grant)> revoke_network;
    std::function<void(Denial denial)> denied;
    std::function<void(std::string note)> note;
  };
  Approvals(Approver& approver, Widen widen, Hooks hooks)
      : approver_(approver), widen_(std::move(widen)), hooks_(std::move(hooks)) {}

  // For a trapped call that waits in the sandbox.
  void ask(std::uint64_t call, const Denial& denial, backend::OnceOption once);
  void withdrawn(std::uint64_t call);
  // For the name in a DNS query that waits; `done` gets whether the grant was applied.
  void ask(const Denial& denial, std::function<void(bool granted)> done);

  Result<void> take_back(const Grant& grant);

 private:
  ApprovalRequest new_request(const Denial& denial, backend::OnceOption once);
  void settle(std::uint64_t call, const Denial& denial, ApprovalDecision decision);
  Result<void> apply(std::uint64_t call, const Denial& denial, ApprovalDecision decision);

  Approver& approver_;
  Widen widen_;
  Hooks hooks_;
  std::map<std::uint64_t, std::uint64_t> waiting_;  // trapped call → id of its request
  std::uint64_t next_ = 1;
  std::vector<Grant> grants_;  // path grants of this sandbox
};

}  // namespace pinfold::supervisor
