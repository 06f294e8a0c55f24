// approvals.cc: sends approval requests and applies decisions.
#include "supervisor/approvals.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace pinfold::supervisor {
namespace {

bool lasts(ApprovalDecision decision) {
  return decision == ApprovalDecision::kSession || decision == ApprovalDecision::kAlways;
}

bool is_network(const Denial& denial) { return denial.grant && denial.grant->kind == Grant::Kind::kNetwork; }

}  // namespace

ApprovalRequest approval_request_for(const Denial& denial) {
  ApprovalRequest out;
  out.operation = denial.operation;
  out.resource = denial.resource;
  out.named = denial.named;
  out.program = denial.program;
  out.pid = denial.pid;
  out.rule = denial.rule;
  out.grant = denial.grant;
  return out;
}

ApprovalRequest Approvals::new_request(const Denial& denial, backend::OnceOption once) {
  ApprovalRequest out = approval_request_for(denial);
  out.id = next_++;
  // Without a way to compile a wider plan only kOnce is offered.
  if (!widen_ && !is_network(denial)) out.grant.reset();
  out.once = once == backend::OnceOption::kOffered;
  return out;
}

void Approvals::ask(std::uint64_t call, const Denial& denial, backend::OnceOption once) {
  ApprovalRequest request = new_request(denial, once);
  waiting_[call] = request.id;
  approver_.ask(std::move(request),
                [this, call, denial](ApprovalDecision decision) { settle(call, denial, decision); });
}

void Approvals::withdrawn(std::uint64_t call) {
  const auto found = waiting_.find(call);
  if (found == waiting_.end()) return;
  const std::uint64_t id = found->second;
  waiting_.erase(found);
  approver_.withdraw(id);
}

void Approvals::ask(const Denial& denial, std::function<void(bool granted)> done) {
  approver_.ask(new_request(denial, backend::OnceOption::kOffered),
                [this, denial, done = std::move(done)](ApprovalDecision decision) {
                  if (decision == ApprovalDecision::kDeny) return done(false);
                  auto reached = hooks_.grant_network(*denial.grant, decision);
                  if (!reached) hooks_.note(reached.error().text());
                  if (reached && lasts(decision)) approver_.granted(*denial.grant, decision);
                  done(reached.has_value());
                });
}

void Approvals::settle(std::uint64_t call, const Denial& denial, ApprovalDecision decision) {
  if (waiting_.erase(call) == 0) return;
  if (decision == ApprovalDecision::kDeny) {
    static_cast<void>(hooks_.sandbox().answer(call, ApprovalDecision::kDeny, nullptr));
    return hooks_.denied(denial);
  }
  if (auto done = apply(call, denial, decision); !done) {
    hooks_.denied(denial);
    hooks_.note(done.error().text());
    return;
  }
  if (lasts(decision)) approver_.granted(*denial.grant, decision);
}

Result<void> Approvals::apply(std::uint64_t call, const Denial& denial, ApprovalDecision decision) {
  if (is_network(denial)) {
    if (auto reached = hooks_.grant_network(*denial.grant, decision); !reached) {
      static_cast<void>(hooks_.sandbox().answer(call, ApprovalDecision::kDeny, nullptr));
      return reached;
    }
    return hooks_.sandbox().answer(call, ApprovalDecision::kOnce, nullptr);
  }
  if (!lasts(decision)) return hooks_.sandbox().answer(call, decision, nullptr);
  std::vector<Grant> all = grants_;
  if (std::find(all.begin(), all.end(), *denial.grant) == all.end()) all.push_back(*denial.grant);
  auto plan = widen_(all);
  if (!plan) {
    static_cast<void>(hooks_.sandbox().answer(call, ApprovalDecision::kDeny, nullptr));
    return tl::unexpected<Error>(std::move(plan).error());
  }
  PF_CHECK(hooks_.sandbox().answer(call, decision, std::make_shared<const Plan>(std::move(*plan))));
  grants_ = std::move(all);
  return {};
}

Result<void> Approvals::take_back(const Grant& grant) {
  if (grant.kind == Grant::Kind::kNetwork) return hooks_.revoke_network(grant);
  std::vector<Grant> left = grants_;
  std::erase(left, grant);
  PF_TRY(plan, widen_(left));
  PF_CHECK(hooks_.sandbox().revoke_grant(grant, std::make_shared<const Plan>(std::move(plan))));
  grants_ = std::move(left);
  return {};
}

}  // namespace pinfold::supervisor
