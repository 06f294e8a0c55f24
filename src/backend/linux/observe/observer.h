// observer.h: the last call handler: reports the denials among trapped calls, and holds calls for approval.
// Invariant: the kernel decides. Without approvals the call continues before any host lookup, so the caller learns
// nothing from its duration; with approvals it is held. Not here: classifying (denial_classifier.h), held calls
// (pending_approvals.h).
#pragma once

#include <memory>
#include <optional>

#include "backend/linux/grants/pending_approvals.h"
#include "backend/linux/notify/handler.h"
#include "backend/linux/observe/denial_classifier.h"

namespace pinfold::backend::on_linux {

class Observer final : public CallHandler {
 public:
  // `plan` must stay alive until the next set_plan(). `approvals`: null if the run makes no approval requests.
  Observer(const Plan& plan, UngrantedPaths ungranted, PendingApprovals* approvals, CallHandler& guard);
  void set_plan(const Plan& plan);
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;

 private:
  bool answer_files(int listener, const seccomp_notif& call, const SyscallRequest& request, SandboxEvents& events);
  // `targets`: the paths of `request` that are resolved already.
  bool ask(int listener, const seccomp_notif& call, const SyscallRequest& request, std::vector<ReportPath> targets,
           Denial denial, SandboxEvents& events);
  // A grant was mounted over the caller's working directory, and the caller does not see the mount.
  bool is_stale(const seccomp_notif& call, const PathRequest& request) const;
  bool loses_protection(const SyscallRequest& request, const std::vector<ReportPath>& targets) const;
  std::optional<BrokeredCall> brokered_call_for(const seccomp_notif& call, const SyscallRequest& request,
                                                const std::vector<ReportPath>& targets);
  void continue_call(int listener, const seccomp_notif& call);
  void answer_network(int listener, const seccomp_notif& call, SyscallRequest request, SandboxEvents& events);

  std::unique_ptr<HostView> host_;
  UngrantedPaths ungranted_;
  PendingApprovals* approvals_;
  CallHandler& guard_;
  std::optional<DenialClassifier> classifier_;
  SandboxPathView path_view_;
};

}  // namespace pinfold::backend::on_linux
