// observer.h: sees trapped calls that nobody has answered, and tells what the plan denies of them.
// Invariant: always lets the kernel decide, and before it asks the host anything: whoever waits learns nothing from how
// long it took. Not here: the judgement (observe.h).
#pragma once

#include <memory>

#include "backend/linux/calls.h"
#include "backend/linux/observe.h"

namespace pinfold::backend::on_linux {

class Observer final : public CallAnswerer {
 public:
  // `plan` must outlive it.
  Observer(const Plan& plan, Beyond beyond);
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;

 private:
  bool answer_files(int listener, const seccomp_notif& call, const std::vector<Attempt>& files, SandboxEvents& events);
  void answer_reach(int listener, const seccomp_notif& call, Attempts attempts, SandboxEvents& events);

  std::unique_ptr<HostView> host_;
  Observation observation_;
  InsideView inside_;
};

}  // namespace pinfold::backend::on_linux
