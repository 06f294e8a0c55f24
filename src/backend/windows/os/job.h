// job.h: one job object: every process of a run, and none of them outlives it.
// Invariant: closing it ends all that is in it, also when this process is killed.
// Not here: what goes into it (launch.h), when a limit ends it (backend.cc).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "pinfold/plan.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

// The plan's limits as Windows takes them; closing the job ends it, and nothing in it shows a dialogue when it dies.
JOBOBJECT_EXTENDED_LIMIT_INFORMATION job_limits(const Plan& plan);

class Job {
 public:
  // With the plan's limits, and those of the desktop.
  static Result<Job> create(const Plan& plan);

  HANDLE raw() const { return job_.raw(); }
  // A process that is not in it yet; an error if it cannot be.
  Result<void> add(HANDLE process) const;
  void end(std::uint32_t code) const;
  // How many processes it holds; how much they have used.
  struct Use {
    std::uint64_t active = 0;
    std::uint64_t total = 0;
    std::uint64_t peak_memory = 0;
    std::chrono::microseconds cpu{0};
  };
  Use use() const;
  // Ends it, and waits until nothing is left in it, for five seconds.
  void finish() const;
  // Which limit Windows has told of since the last time, if one.
  std::optional<LimitKind> reached() const;

 private:
  Job(sys::Handle job, sys::Handle port) : job_(std::move(job)), port_(std::move(port)) {}
  sys::Handle job_;
  sys::Handle port_;
};

}  // namespace pinfold::backend::on_windows
