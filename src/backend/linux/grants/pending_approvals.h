// pending_approvals.h: holds denied calls while the user decides about them, and ends them by the decision.
// Invariant: a held call gets one response: the result of the brokered call on the pinned file; "continue" after the
// sandbox was widened; or EACCES. Calls of processes that exit are dropped.
// Not here: classifying denials (denial_classifier.h), asking the user (supervisor), performing (brokered_call.h,
// live_mounts.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "backend/backend.h"
#include "backend/linux/grants/brokered_call.h"
#include "backend/linux/grants/live_mounts.h"
#include "backend/linux/notify/handler.h"
#include "backend/linux/notify/syscall_request.h"
#include "sys/event_loop.h"

namespace pinfold::backend::on_linux {

class PendingApprovals {
 public:
  explicit PendingApprovals(LiveMounts& live_mounts) : live_mounts_(live_mounts) {}
  PendingApprovals(const PendingApprovals&) = delete;
  PendingApprovals& operator=(const PendingApprovals&) = delete;
  ~PendingApprovals() { close(); }

  void attach(sys::EventLoop& loop, CreationGuard& guard) {
    loop_ = &loop;
    guard_ = &guard;
  }
  // Drops all held calls; the kernel ends them when their listener is closed.
  void close();

  struct NewRequest {
    int listener;
    const seccomp_notif& call;
    std::optional<BrokeredCall> brokered;  // nullopt: the supervisor cannot perform this call
    bool relative;    // a relative path: the caller does not see a mount over its working directory
    OnceOption once;  // whether `brokered` may be performed without any grant
    const Denial& denial;
  };
  // True: the call is held, or has its response already.
  bool ask(NewRequest request, SandboxEvents& events);

  bool is_granted(const std::string& path) const { return live_mounts_.is_granted(path); }
  // A mount for a grant lies on this path: the kernel refuses to remove or replace the name (EBUSY).
  bool has_mount_at(const std::string& path) const { return live_mounts_.has_mount_at(path); }
  // Without an approval request. False: it failed, and the call has no response yet.
  bool perform(const BrokeredCall& brokered, int listener, const seccomp_notif& call) {
    return brokered.perform(listener, call, live_mounts_, guard_).has_value();
  }

  // Before this, the caller has widened the sandbox if the decision is a grant.
  Result<void> answer(std::uint64_t id, pinfold::ApprovalDecision answer);
  // The denial of the approval request; null: no call is held for it.
  const Denial* denial_of(std::uint64_t id) const;

 private:
  struct HeldCall {
    sys::Fd listener;  // a duplicate: the command's listener may be closed first
    seccomp_notif call;
    std::optional<BrokeredCall> brokered;
    bool relative;
    OnceOption once;
    Denial denial;
    SandboxEvents* events;
  };
  void schedule_check();
  void drop_exited_callers();

  LiveMounts& live_mounts_;
  sys::EventLoop* loop_ = nullptr;
  CreationGuard* guard_ = nullptr;
  std::map<std::uint64_t, HeldCall> calls_;
  std::uint64_t next_ = 1;
  sys::EventLoop::TimerId timer_ = 0;
};

}  // namespace pinfold::backend::on_linux
