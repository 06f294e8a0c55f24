// approval_callback.cc: calls the decider and checks that its decision was offered.
#include "library/approval_callback.h"

namespace pinfold::library {

void ApprovalCallback::ask(ApprovalRequest request, Reply reply) {
  const std::pair key(request.operation, request.resource);
  if (const auto found = known_.find(key); found != known_.end()) return reply(found->second);
  ApprovalDecision decision = ApprovalDecision::kDeny;
  const bool once = request.once;
  const bool lasting = request.grant.has_value();
  try {
    decision = decider_.decide(DecisionRequest(std::move(request)));
  } catch (...) {
    decision = ApprovalDecision::kDeny;
  }
  const bool offered = decision == ApprovalDecision::kDeny || (decision == ApprovalDecision::kOnce ? once : lasting);
  if (!offered) decision = ApprovalDecision::kDeny;
  if (decision != ApprovalDecision::kOnce) known_[key] = decision;
  reply(decision);
}

}  // namespace pinfold::library
