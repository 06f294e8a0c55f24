// confinement.h: what makes one Linux backend different from another: how its first process comes into being, what that one
// has to do, and how well the result holds.
// Invariant: lower(), then begin(), each once; judge() speaks of what begin() made. Not here: what all of them share:
// talking to the first process, limits, guarded names, cleaning up (sandbox.cc).
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/linux/notify/handler.h"
#include "backend/linux/notify/proxy_connect.h"
#include "backend/linux/coverage.h"
#include "backend/linux/landlock.h"
#include "backend/linux/limits/limits.h"
#include "backend/linux/lower/lower.h"
#include "backend/linux/observe/denial_classifier.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct FirstProcess {
  sys::Fd control;   // our end of the socket on which it is told what to do
  sys::Fd pidfd;     // its end is the end of everything inside
  pid_t child = -1;  // ours to reap: itself, or whoever started it
};

class Walls {
 public:
  virtual ~Walls() = default;

  virtual Result<std::unique_ptr<Lowered>> lower(const Plan& plan, const LandlockSupport& landlock,
                                                 SharedMemory shared_memory) = 0;
  // Starts it, in the cgroup from its first instruction on that could matter, and shows it what was lowered.
  virtual Result<FirstProcess> begin(const Lowered& lowered, const Cgroup& cgroup) = 0;
  // The commands to come get this filter instead.
  virtual Result<void> publish(const std::vector<sock_filter>& filter) = 0;
  virtual std::vector<Coverage> judge(const Plan& plan, const WallFacts& facts, const Cgroup& cgroup) const = 0;

  virtual Counting counting() const = 0;
  // Ends everything inside, at once; the first process follows by itself.
  virtual void end(int control, int pidfd, pid_t child);
  // Another process killed the first one; the kernel ends the others with it only in a pid namespace.
  virtual void first_was_killed() {}
  // The first process was killed; whoever started it should end now, and must not keep us waiting.
  virtual void hasten_end() {}
  // The first process works now, and we wait.
  virtual void before_waiting() {}
  // Where processes are counted: those below this one, or 0 for all that the sandbox's /proc shows.
  virtual pid_t tree() const { return 0; }
  // Whoever answers trapped calls before the guard of protected names looks at them.
  virtual CallAnswerer* answerer() { return nullptr; }
  // A name that was made on the host since can no longer be changed by trapped calls. False: mounts must do it.
  virtual bool protect(const std::string& /*path*/, const Origin& /*origin*/) { return false; }
  // Whoever connects sockets for what is inside, to the run's proxy; null: what is inside connects by itself, if at
  // all.
  virtual Connector* connector() { return nullptr; }
  // The plan that is told about, by the names that things have for whoever is inside, and what lies beyond it.
  struct Ways {
    const Plan* plan;
    Beyond beyond;
  };
  virtual Ways ways(const Plan& plan) const;
  // Something that lies on the host until clean_up(), which a janitor does where the supervisor cannot.
  virtual bool leaves_something() const { return false; }
  // Returns a note about files that it could not remove, or an empty string.
  virtual std::string clean_up() { return {}; }
};

}  // namespace pinfold::backend::on_linux
