// start.h: the bubblewrap process, from its fork to the first message of its init.
// Invariant: ended and reaped unless it is released; every wait has a time limit.
// Not here: its arguments.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/linux/child/bwrap_handoff.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct InitHandshake {
  child::InitHello hello{};
  sys::Fd pidfd;  // of init itself
};

class BubblewrapProcess {
 public:
  struct Options {
    int program = -1;        // bubblewrap
    int first_program = -1;  // the program to start inside as init
    int arguments = -1;      // NUL-separated, for --args
    int control = -1;
    int memory = -1;
    std::vector<int> files;  // from child::kFirstFreeDescriptor on
    std::size_t empty_files = 0;
  };
  static Result<std::unique_ptr<BubblewrapProcess>> fork(const Options& options);
  BubblewrapProcess() = default;
  BubblewrapProcess(const BubblewrapProcess&) = delete;
  BubblewrapProcess& operator=(const BubblewrapProcess&) = delete;
  ~BubblewrapProcess();

  pid_t pid() const { return pid_; }
  // It waits before its exec until this call: by then it is in its cgroup.
  void let_exec();
  // kUnavailable, with bubblewrap's own message, if it exits instead. The time limit grows with the number of mounts.
  Result<InitHandshake> wait_for_init(int control, std::size_t mounts);
  // The caller reaps it from now on.
  pid_t release();
  // After init was killed, or has lost its supervisor: bubblewrap exits by itself; after 2 s it is killed. (Killed at
  // once, it could leave a child that waits for it.)
  void hasten_end() const;

 private:
  Error explain(std::string what);
  void kill_group() const;

  pid_t pid_ = -1;
  sys::Fd pidfd_;
  sys::Fd stderr_;  // bubblewrap's standard error
  sys::Fd gate_;
};

}  // namespace pinfold::backend::on_linux
