// approval_callback.h: passes approval requests to the library user's decider, while the command's call waits.
// Invariant: an exception of the decider counts as kDeny; kDeny, kSession and kAlways also decide later equal requests.
// While the decider runs, the run's event loop is blocked; only the command goes on.
// Not here: applying a decision (supervisor/approvals.h).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "pinfold/approval.h"
#include "supervisor/approver.h"

namespace pinfold::library {

class ApprovalCallback final : public supervisor::Approver {
 public:
  explicit ApprovalCallback(Decider& decider) : decider_(decider) {}
  void ask(ApprovalRequest request, Reply reply) override;
  void withdraw(std::uint64_t) override {}  // ask() replies before it returns

 private:
  Decider& decider_;
  std::map<std::pair<std::string, std::string>, ApprovalDecision> known_;  // operation and resource
};

}  // namespace pinfold::library
