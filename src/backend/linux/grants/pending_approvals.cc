// pending_approvals.cc: holds, answers, forgets.
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

constexpr auto kLookAfter = std::chrono::milliseconds(100);

bool waits(const sys::Fd& listener, const seccomp_notif& call) { return still_waits(listener.raw(), call); }

}  // namespace

void Questions::close() {
  if (loop_ != nullptr && timer_ != 0) loop_->cancel(timer_);
  timer_ = 0;
  loop_ = nullptr;
  held_.clear();
}

const Denial* Questions::about(std::uint64_t id) const {
  const auto found = held_.find(id);
  return found == held_.end() ? nullptr : &found->second.denial;
}

bool Questions::ask(Asking asking, SandboxEvents& events) {
  const bool alone = asking.deed && asking.once == Once::kOffered;
  if (loop_ == nullptr || (!alone && !asking.denial.grant)) return false;
  auto listener = sys::Fd::adopt(::fcntl(asking.listener, F_DUPFD_CLOEXEC, 3));
  if (!listener.is_open()) return false;
  const std::uint64_t id = next_++;
  const Once once = alone || !asking.denial.address.empty() ? Once::kOffered : Once::kNotOffered;
  const Denial denial = asking.denial;
  held_.emplace(id,
                Held{std::move(listener), asking.call, std::move(asking.deed), asking.relative, once, denial, &events});
  if (!events.asks(id, denial, once)) {
    held_.erase(id);
    return false;
  }
  look_after();
  return true;
}

void Questions::look_after() {
  if (loop_ == nullptr || held_.empty() || timer_ != 0) return;
  timer_ = loop_->after(kLookAfter, [this] {
    timer_ = 0;
    forget_the_dead();
    look_after();
  });
}

void Questions::forget_the_dead() {
  std::vector<std::pair<std::uint64_t, SandboxEvents*>> gone;
  for (const auto& [id, held] : held_)
    if (!waits(held.listener, held.call)) gone.emplace_back(id, held.events);
  for (const auto& [id, events] : gone) {
    held_.erase(id);
    events->withdrawn(id);
  }
}

Result<void> Questions::answer(std::uint64_t id, pinfold::Answer answer) {
  auto found = held_.find(id);
  if (found == held_.end()) return fail(ErrorKind::kNotFound, "nobody waits for this any more");
  const Held held = std::move(found->second);
  held_.erase(found);
  if (!waits(held.listener, held.call)) return fail(ErrorKind::kNotFound, "whoever waited for this is gone");
  if (answer == pinfold::Answer::kDeny || (answer == pinfold::Answer::kOnce && held.once == Once::kNotOffered)) {
    answer_call(held.listener.raw(), held.call, on_linux::Answer::kRefuse);
    return {};
  }
  const bool widened = answer == pinfold::Answer::kSession || answer == pinfold::Answer::kAlways;
  // What was mounted for a grant holds its name: changes of names are made where nothing is mounted.
  if (!held.deed || (widened && !held.relative && !held.deed->changes_names())) {
    answer_call(held.listener.raw(), held.call, on_linux::Answer::kContinue);
    return {};
  }
  auto done = held.deed->carry_out(held.listener.raw(), held.call, widener_);
  if (!done) answer_call(held.listener.raw(), held.call, on_linux::Answer::kRefuse);
  return done;
}

}  // namespace pinfold::backend::on_linux
