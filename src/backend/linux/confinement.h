// confinement.h: the part of a Linux sandbox that differs between backends: it starts init, lowers the plan for it, and
// reports coverage.
// Invariant: lower(), then start_init(), each once; assess() reports on the process that start_init() made.
// Not here: the part that all backends share (sandbox.cc): the channel to init, limits, guarded names, clean-up.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/linux/coverage.h"
#include "backend/linux/landlock_abi.h"
#include "backend/linux/limits/limits.h"
#include "backend/linux/lower/lower.h"
#include "backend/linux/notify/handler.h"
#include "backend/linux/notify/proxy_connect.h"
#include "backend/linux/observe/denial_classifier.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct InitProcess {
  sys::Fd control;   // the supervisor's end of the control socket
  sys::Fd pidfd;     // of init; when it exits, the whole sandbox ends
  pid_t child = -1;  // the child that the supervisor reaps: init, or the launcher that started it
};

class Confinement {
 public:
  virtual ~Confinement() = default;

  virtual Result<std::unique_ptr<LoweredPlan>> lower(const Plan& plan, const LandlockSupport& landlock,
                                                     SharedMemory shared_memory) = 0;
  // Starts init, moves it into the cgroup before it forks, and publishes the lowered plan to it.
  virtual Result<InitProcess> start_init(const LoweredPlan& lowered, const Cgroup& cgroup) = 0;
  // Replaces the seccomp filter of the commands that start from now on.
  virtual Result<void> publish(const std::vector<sock_filter>& filter) = 0;
  virtual std::vector<Coverage> assess(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup) const = 0;

  virtual Counting counting() const = 0;
  // Ends every process of the sandbox at once, init included.
  virtual void end_processes(int control, int pidfd, pid_t child);
  // Another process killed init. The kernel kills the other processes with it only in a pid namespace.
  virtual void init_was_killed() {}
  // Init was killed: its launcher, if there is one, should exit now, because the supervisor waits for it.
  virtual void hasten_end() {}
  // Called before the supervisor blocks on a reply of init.
  virtual void before_waiting() {}
  // Usage counts the descendants of this process; 0: all processes that the sandbox's /proc lists.
  virtual pid_t usage_root() const { return 0; }
  // Gets trapped calls before the guard of protected names; null: the guard is first.
  virtual CallHandler* call_handler() { return nullptr; }
  // From now on trapped calls must not change this name, which the user made on the host during the run. False: this
  // backend cannot refuse it; a mount must protect the name.
  virtual bool protect(const std::string& /*path*/, const Origin& /*origin*/) { return false; }
  // Connects the sandbox's sockets to the run's proxy; null: sandboxed processes connect by themselves, if at all.
  virtual ProxyConnector* proxy_connector() { return nullptr; }
  // The plan by which denials are reported, with paths as sandboxed processes see them, and how paths outside it look.
  struct ObservedPlan {
    const Plan* plan;
    UngrantedPaths ungranted;
  };
  virtual ObservedPlan observed_plan(const Plan& plan) const;
  // Files stay on the host until clean_up(); a janitor calls it if the supervisor is killed.
  virtual bool needs_clean_up() const { return false; }
  // Returns a note that names the files that it could not remove, or an empty string.
  virtual std::string clean_up() { return {}; }
};

}  // namespace pinfold::backend::on_linux
