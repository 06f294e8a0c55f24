// observer.h: sees trapped calls that nobody has answered, and tells what the plan denies of them.
// Invariant: lets the kernel decide, and before it asks the host anything: whoever waits learns nothing from how long
// it took. Where somebody is to be asked, the call waits for that instead. Not here: the judgement (denial_classifier.h), what
// becomes of a call that waits (pending_approvals.h).
#pragma once

#include <memory>
#include <optional>

#include "backend/linux/notify/handler.h"
#include "backend/linux/observe/denial_classifier.h"
#include "backend/linux/grants/pending_approvals.h"

namespace pinfold::backend::on_linux {

class Observer final : public CallAnswerer {
 public:
  // `plan` must outlive it, or until the next judge_by(). `questions`: null if nobody is asked.
  Observer(const Plan& plan, Beyond beyond, Questions* questions);
  void judge_by(const Plan& plan);
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;

 private:
  bool answer_files(int listener, const seccomp_notif& call, const Attempts& attempts, SandboxEvents& events);
  // `places`: where the names lead, as far as they were followed.
  bool ask(int listener, const seccomp_notif& call, const Attempts& attempts, std::vector<Inside> places, Denial denial,
           SandboxEvents& events);
  // A grant lies over the directory that the caller is in, and it does not see that.
  bool is_stale(const seccomp_notif& call, const Attempt& attempt) const;
  bool loses_protection(const Attempts& attempts, const std::vector<Inside>& places) const;
  std::optional<Deed> deed_for(const seccomp_notif& call, const Attempts& attempts, const std::vector<Inside>& places);
  void answer_reach(int listener, const seccomp_notif& call, Attempts attempts, SandboxEvents& events);

  std::unique_ptr<HostView> host_;
  Beyond beyond_;
  Questions* questions_;
  std::optional<Observation> observation_;
  InsideView inside_;
};

}  // namespace pinfold::backend::on_linux
