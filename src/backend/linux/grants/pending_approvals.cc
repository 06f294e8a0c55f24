// pending_approvals.cc: holds calls, ends them by the decision, drops those of exited callers.
#include "backend/linux/grants/pending_approvals.h"

#include <fcntl.h>
#include <linux/seccomp.h>

#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include "backend/linux/notify/trapped_call.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr auto kCheckInterval = std::chrono::milliseconds(100);

bool waits(const sys::Fd& listener, const seccomp_notif& call) { return still_waits(listener.raw(), call); }

}  // namespace

void PendingApprovals::close() {
  if (loop_ != nullptr && timer_ != 0) loop_->cancel(timer_);
  timer_ = 0;
  loop_ = nullptr;
  calls_.clear();
}

const Denial* PendingApprovals::denial_of(std::uint64_t id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : &found->second.denial;
}

bool PendingApprovals::ask(NewRequest request, SandboxEvents& events) {
  const bool alone = request.brokered && request.once == OnceOption::kOffered;
  if (loop_ == nullptr || (!alone && !request.denial.grant)) return false;
  auto listener = sys::Fd::adopt(::fcntl(request.listener, F_DUPFD_CLOEXEC, 3));
  if (!listener.is_open()) return false;
  const std::uint64_t id = next_++;
  const OnceOption once = alone || !request.denial.address.empty() ? OnceOption::kOffered : OnceOption::kNotOffered;
  const Denial denial = request.denial;
  calls_.emplace(id, HeldCall{std::move(listener), request.call, std::move(request.brokered), request.relative, once,
                              denial, &events});
  if (!events.request_approval(id, denial, once)) {
    calls_.erase(id);
    return false;
  }
  schedule_check();
  return true;
}

void PendingApprovals::schedule_check() {
  if (loop_ == nullptr || calls_.empty() || timer_ != 0) return;
  timer_ = loop_->after(kCheckInterval, [this] {
    timer_ = 0;
    drop_exited_callers();
    schedule_check();
  });
}

void PendingApprovals::drop_exited_callers() {
  std::vector<std::pair<std::uint64_t, SandboxEvents*>> gone;
  for (const auto& [id, held] : calls_)
    if (!waits(held.listener, held.call)) gone.emplace_back(id, held.events);
  for (const auto& [id, events] : gone) {
    calls_.erase(id);
    events->approval_withdrawn(id);
  }
}

Result<void> PendingApprovals::answer(std::uint64_t id, pinfold::ApprovalDecision answer) {
  auto found = calls_.find(id);
  if (found == calls_.end()) return fail(ErrorKind::kNotFound, "no call waits for this approval request any more");
  const HeldCall held = std::move(found->second);
  calls_.erase(found);
  if (!waits(held.listener, held.call)) return fail(ErrorKind::kNotFound, "the process that asked has exited");
  if (answer == pinfold::ApprovalDecision::kDeny ||
      (answer == pinfold::ApprovalDecision::kOnce && held.once == OnceOption::kNotOffered)) {
    answer_call(held.listener.raw(), held.call, CallResponse::kRefuse);
    return {};
  }
  const bool widened = answer == pinfold::ApprovalDecision::kSession || answer == pinfold::ApprovalDecision::kAlways;
  // The mount for the grant makes changes of its name fail with EBUSY, so the supervisor changes names on the host.
  if (!held.brokered || (widened && !held.relative && !held.brokered->changes_names())) {
    // While the call was held, its name may have changed in memory, and the grant may have protected it.
    if (guard_ != nullptr && guard_->answer(held.listener.raw(), held.call, *held.events)) return {};
    if (guard_ != nullptr) guard_->before_continue(held.call);
    answer_call(held.listener.raw(), held.call, CallResponse::kContinue);
    return {};
  }
  auto done = held.brokered->perform(held.listener.raw(), held.call, live_mounts_, guard_);
  if (!done) answer_call(held.listener.raw(), held.call, CallResponse::kRefuse);
  return done;
}

}  // namespace pinfold::backend::on_linux
