// start.h: bubblewrap as a process, from its fork to the first word of the first process in it.
// Invariant: ended and reaped unless it is released; never waited for without a bound. Not here: its arguments.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/linux/child/bwrap_handoff.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct FirstWord {
  child::Here here{};
  sys::Fd pidfd;  // of the first process itself
};

class BubblewrapProcess {
 public:
  struct Setting {
    int program = -1;        // bubblewrap
    int first_program = -1;  // what it is to start inside
    int arguments = -1;      // NUL-separated, for --args
    int control = -1;
    int memory = -1;
    std::vector<int> files;  // from child::kFirstFreeDescriptor on
    std::size_t empty_files = 0;
  };
  static Result<std::unique_ptr<BubblewrapProcess>> fork(const Setting& setting);
  BubblewrapProcess() = default;
  BubblewrapProcess(const BubblewrapProcess&) = delete;
  BubblewrapProcess& operator=(const BubblewrapProcess&) = delete;
  ~BubblewrapProcess();

  pid_t pid() const { return pid_; }
  // It waits before its exec until it may go on: by then it is in its cgroup.
  void go_on();
  // kUnavailable, with bubblewrap's own words, if it ends instead. The more mounts it has to make, the longer it may
  // take.
  Result<FirstWord> hear_first(int control, std::size_t mounts);
  // Somebody else reaps it from now on.
  pid_t release();
  // After the first process was killed, or has lost its supervisor: it ends by itself, and if it does not, it is
  // killed. (Killed at once, it could leave a child that waits for it.)
  void hasten_end() const;

 private:
  Error explain(std::string what);
  void end_group() const;

  pid_t pid_ = -1;
  sys::Fd pidfd_;
  sys::Fd words_;  // what it writes to its standard error
  sys::Fd gate_;
};

}  // namespace pinfold::backend::on_linux
