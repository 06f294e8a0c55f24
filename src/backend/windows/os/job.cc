// job.cc: limits and reports of a job object.
#include "backend/windows/os/job.h"

#include "base/try.h"

namespace pinfold::backend::on_windows {
namespace {

auto failed(const char* name) { return tl::unexpected<Error>(sys::win_error(name, "job", ::GetLastError())); }

constexpr std::chrono::seconds kEndTimeout{5};
constexpr int kMessagesAtOnce = 1000;  // bounds the loop: a command that keeps starting processes keeps adding messages
constexpr DWORD kDesktop = JOB_OBJECT_UILIMIT_DESKTOP | JOB_OBJECT_UILIMIT_DISPLAYSETTINGS |
                           JOB_OBJECT_UILIMIT_EXITWINDOWS | JOB_OBJECT_UILIMIT_GLOBALATOMS |
                           JOB_OBJECT_UILIMIT_HANDLES | JOB_OBJECT_UILIMIT_READCLIPBOARD |
                           JOB_OBJECT_UILIMIT_WRITECLIPBOARD | JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS;

}  // namespace

JOBOBJECT_EXTENDED_LIMIT_INFORMATION job_limits(const Plan& plan) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  DWORD& flags = limits.BasicLimitInformation.LimitFlags;
  flags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  for (const Step& step : plan.steps) {
    const auto* limit = std::get_if<LimitStep>(&step.body);
    if (limit != nullptr && limit->kind == LimitKind::kMemory) {
      flags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
      limits.JobMemoryLimit = limit->amount;
    } else if (limit != nullptr && limit->kind == LimitKind::kProcesses) {
      flags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
      limits.BasicLimitInformation.ActiveProcessLimit =
          static_cast<DWORD>(std::min<std::uint64_t>(limit->amount, MAXDWORD));
    }
  }
  for (const Step& step : plan.steps)
    if (const auto* exec = std::get_if<ExecLimit>(&step.body); exec != nullptr && exec->mode == ExecMode::kNone) {
      flags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
      limits.BasicLimitInformation.ActiveProcessLimit = 1;
    }
  return limits;
}

Result<Job> Job::create(const Plan& plan) {
  sys::Handle job = sys::Handle::adopt(::CreateJobObjectW(nullptr, nullptr));
  if (!job.is_open()) return failed("CreateJobObject");
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = job_limits(plan);
  if (::SetInformationJobObject(job.raw(), JobObjectExtendedLimitInformation, &limits, sizeof limits) == 0)
    return failed("SetInformationJobObject");
  JOBOBJECT_BASIC_UI_RESTRICTIONS desktop{kDesktop};
  if (::SetInformationJobObject(job.raw(), JobObjectBasicUIRestrictions, &desktop, sizeof desktop) == 0)
    return failed("SetInformationJobObject");
  sys::Handle port = sys::Handle::adopt(::CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1));
  if (!port.is_open()) return failed("CreateIoCompletionPort");
  JOBOBJECT_ASSOCIATE_COMPLETION_PORT association{nullptr, port.raw()};
  if (::SetInformationJobObject(job.raw(), JobObjectAssociateCompletionPortInformation, &association,
                                sizeof association) == 0)
    return failed("SetInformationJobObject");
  return Job(std::move(job), std::move(port));
}

Result<void> Job::add(HANDLE process) const {
  BOOL inside = FALSE;
  if (::IsProcessInJob(process, job_.raw(), &inside) != 0 && inside != FALSE) return {};
  if (::AssignProcessToJobObject(job_.raw(), process) == 0) return failed("AssignProcessToJobObject");
  if (::IsProcessInJob(process, job_.raw(), &inside) == 0) return failed("IsProcessInJob");
  if (inside == FALSE) return fail(ErrorKind::kUnavailable, "the command's process is not in its job");
  return {};
}

void Job::end(std::uint32_t code) const { ::TerminateJobObject(job_.raw(), code); }

Job::Use Job::use() const {
  Use out;
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION counts{};
  if (::QueryInformationJobObject(job_.raw(), JobObjectBasicAccountingInformation, &counts, sizeof counts, nullptr) !=
      0) {
    out.active = counts.ActiveProcesses;
    out.total = counts.TotalProcesses;
    // Units of 100 ns.
    out.cpu = std::chrono::microseconds((counts.TotalUserTime.QuadPart + counts.TotalKernelTime.QuadPart) / 10);
  }
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  if (::QueryInformationJobObject(job_.raw(), JobObjectExtendedLimitInformation, &limits, sizeof limits, nullptr) != 0)
    out.peak_memory = limits.PeakJobMemoryUsed;
  return out;
}

void Job::finish() const {
  // TerminateJobObject() returns before the processes are gone, and a process may be created in between, so it is
  // called again until the job is empty, for at most kEndTimeout.
  const auto until = std::chrono::steady_clock::now() + kEndTimeout;
  for (end(1); use().active > 0 && std::chrono::steady_clock::now() < until; end(1)) ::Sleep(5);
}

std::optional<LimitKind> Job::reached() const {
  DWORD message = 0;
  ULONG_PTR key = 0;
  OVERLAPPED* detail = nullptr;
  for (int i = 0; i < kMessagesAtOnce; ++i) {
    if (::GetQueuedCompletionStatus(port_.raw(), &message, &key, &detail, 0) == 0) break;
    if (message == JOB_OBJECT_MSG_JOB_MEMORY_LIMIT) return LimitKind::kMemory;
    if (message == JOB_OBJECT_MSG_ACTIVE_PROCESS_LIMIT) return LimitKind::kProcesses;
  }
  return std::nullopt;
}

}  // namespace pinfold::backend::on_windows
