// job.h: one job object, with every process of a run.
// Invariant: closing it ends every process in it, also when this process is killed.
// Not here: starting processes (launch.h), ending the run at a limit (backend.cc).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "pinfold/plan.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

// The plan's limits for SetInformationJobObject(). Closing the job ends it; a process that crashes shows no dialogue.
JOBOBJECT_EXTENDED_LIMIT_INFORMATION job_limits(const Plan& plan);

class Job {
 public:
  // With the plan's limits and the restrictions of the desktop.
  static Result<Job> create(const Plan& plan);

  HANDLE raw() const { return job_.raw(); }
  // Adds a process unless it is in the job already; an error if Windows refuses.
  Result<void> add(HANDLE process) const;
  void end(std::uint32_t code) const;
  // Process counts, and the resources that the processes used.
  struct Use {
    std::uint64_t active = 0;
    std::uint64_t total = 0;
    std::uint64_t peak_memory = 0;
    std::chrono::microseconds cpu{0};
  };
  Use use() const;
  // Ends every process and waits until the job is empty, for at most 5 s.
  void finish() const;
  // The limit that Windows reported since the last call, if any.
  std::optional<LimitKind> reached() const;

 private:
  Job(sys::Handle job, sys::Handle port) : job_(std::move(job)), port_(std::move(port)) {}
  sys::Handle job_;
  sys::Handle port_;
};

}  // namespace pinfold::backend::on_windows
