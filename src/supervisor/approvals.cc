// approvals.cc: asks, and carries out the answer.
#include "supervisor/approvals.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace pinfold::supervisor {
namespace {

bool lasts(Answer answer) { return answer == Answer::kSession || answer == Answer::kAlways; }

bool is_network(const Denial& denial) { return denial.grant && denial.grant->kind == Grant::Kind::kNetwork; }

}  // namespace

AccessQuestion question_about(const Denial& denial) {
  AccessQuestion out;
  out.operation = denial.operation;
  out.resource = denial.resource;
  out.named = denial.named;
  out.program = denial.program;
  out.pid = denial.pid;
  out.rule = denial.rule;
  out.grant = denial.grant;
  return out;
}

AccessQuestion Asking::question(const Denial& denial, backend::Once once) {
  AccessQuestion out = question_about(denial);
  out.id = next_++;
  // Without a plan to widen by, only this once can be offered.
  if (!widen_ && !is_network(denial)) out.grant.reset();
  out.once = once == backend::Once::kOffered;
  return out;
}

void Asking::ask(std::uint64_t call, const Denial& denial, backend::Once once) {
  AccessQuestion asked = question(denial, once);
  waiting_[call] = asked.id;
  asker_.ask(std::move(asked), [this, call, denial](Answer answer) { settle(call, denial, answer); });
}

void Asking::withdrawn(std::uint64_t call) {
  const auto found = waiting_.find(call);
  if (found == waiting_.end()) return;
  const std::uint64_t id = found->second;
  waiting_.erase(found);
  asker_.withdraw(id);
}

void Asking::ask(const Denial& denial, std::function<void(bool granted)> done) {
  asker_.ask(question(denial, backend::Once::kOffered), [this, denial, done = std::move(done)](Answer answer) {
    if (answer == Answer::kDeny) return done(false);
    auto reached = hooks_.reach(*denial.grant, answer);
    if (!reached) hooks_.note(reached.error().text());
    if (reached && lasts(answer)) asker_.granted(*denial.grant, answer);
    done(reached.has_value());
  });
}

void Asking::settle(std::uint64_t call, const Denial& denial, Answer answer) {
  if (waiting_.erase(call) == 0) return;
  if (answer == Answer::kDeny) {
    static_cast<void>(hooks_.sandbox().answer(call, Answer::kDeny, nullptr));
    return hooks_.denied(denial);
  }
  if (auto done = put_in_force(call, denial, answer); !done) {
    hooks_.denied(denial);
    hooks_.note(done.error().text());
    return;
  }
  if (lasts(answer)) asker_.granted(*denial.grant, answer);
}

Result<void> Asking::put_in_force(std::uint64_t call, const Denial& denial, Answer answer) {
  if (is_network(denial)) {
    if (auto reached = hooks_.reach(*denial.grant, answer); !reached) {
      static_cast<void>(hooks_.sandbox().answer(call, Answer::kDeny, nullptr));
      return reached;
    }
    return hooks_.sandbox().answer(call, Answer::kOnce, nullptr);
  }
  if (!lasts(answer)) return hooks_.sandbox().answer(call, answer, nullptr);
  std::vector<Grant> all = grants_;
  if (std::find(all.begin(), all.end(), *denial.grant) == all.end()) all.push_back(*denial.grant);
  auto plan = widen_(all);
  if (!plan) {
    static_cast<void>(hooks_.sandbox().answer(call, Answer::kDeny, nullptr));
    return tl::unexpected<Error>(std::move(plan).error());
  }
  PF_CHECK(hooks_.sandbox().answer(call, answer, std::make_shared<const Plan>(std::move(*plan))), "");
  grants_ = std::move(all);
  return {};
}

Result<void> Asking::take_back(const Grant& grant) {
  if (grant.kind == Grant::Kind::kNetwork) return hooks_.reach_no_more(grant);
  std::vector<Grant> left = grants_;
  std::erase(left, grant);
  PF_TRY(plan, widen_(left), "");
  PF_CHECK(hooks_.sandbox().take_back(grant, std::make_shared<const Plan>(std::move(plan))), "");
  grants_ = std::move(left);
  return {};
}

}  // namespace pinfold::supervisor
