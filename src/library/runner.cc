// runner.cc: the public API for planning, assessing and running.
// Invariant: every call has its own HostView and backends, so that threads share nothing; the signals, streams,
// children and settings of the process are not changed. Not here: which backends there are (app/library.cc), reading
// policies (load.cc).
#include "library/runner.h"

#include <fcntl.h>

#include <optional>
#include <utility>

#include "base/guarded.h"
#include "base/paths.h"
#include "base/try.h"
#include "library/approval_callback.h"
#include "plan/caches.h"
#include "plan/compile.h"
#include "plan/missing_own.h"
#include "policy/grants.h"
#include "settings/own_directories.h"
#include "supervisor/choose.h"
#include "supervisor/supervisor.h"
#include "sys/files.h"
#include "sys/host.h"
#include "sys/owner_file.h"

namespace pinfold {
Result<void> check(const Command& command) {
  if (command.argv.empty() || command.argv[0].empty())
    return fail(ErrorKind::kInvalid, "there is no command to run", "Command::argv needs at least a name");
  for (const std::string& word : command.argv)
    if (word.find('\0') != std::string::npos)
      return fail(ErrorKind::kInvalid, "a word of the command contains a NUL byte", "remove it");
  if (command.working_dir && command.working_dir->find('\0') != std::string::npos)
    return fail(ErrorKind::kInvalid, "the working directory contains a NUL byte", "remove it");
  if (command.working_dir && (command.working_dir->empty() || (*command.working_dir)[0] != '/'))
    return fail(ErrorKind::kInvalid, "the working directory is not absolute", "give an absolute path");
  if (command.output == Output::kCapture) return {};
  // The number of a closed stream is reused by the next open(), and the command would inherit that descriptor.
  for (int fd = 0; fd < 3; ++fd)
    if (::fcntl(fd, F_GETFD) < 0)
      return fail(ErrorKind::kInvalid, "standard stream " + std::to_string(fd) + " is closed",
                  "open it, or use Output::kCapture");
  return {};
}

namespace {

enum class Approver { kNone, kDecider };

Result<Plan> plan_of(const policy::Scope& scope, const Command& command, Approver approver, HostView& host) {
  plan::Invocation invocation;
  invocation.argv = command.argv;
  invocation.asks = approver == Approver::kDecider;
  if (command.working_dir) {
    invocation.working_dir = paths::normal(*command.working_dir);
  } else {
    PF_TRY(caller, sys::find_caller(host));
    invocation.working_dir = plan::default_working_dir(caller, scope.workspaces());
  }
  return plan::compile(scope, host, invocation);
}

}  // namespace

Result<Caller> find_caller() noexcept {
  return guarded([]() -> Result<Caller> {
    auto host = sys::real_host();
    return sys::find_caller(*host);
  });
}

Runner::Runner(std::unique_ptr<Body> body) noexcept : body_(std::move(body)) {}
Runner::Runner(Runner&& other) noexcept = default;
Runner& Runner::operator=(Runner&& other) noexcept = default;
Runner::~Runner() = default;

Result<std::shared_ptr<sys::MaskDirectories>> library::make_own_directories(const Plan& plan, HostView& host) {
  const auto missing = plan::missing_own(plan, host);
  if (missing.empty()) return nullptr;
  return settings::make_own_directories(missing);
}

void library::keep_cache_owner(const Plan& plan, const std::vector<std::string>& workspaces) {
  const std::string directory = plan::cache_directory(plan);
  if (directory.empty()) return;
  static_cast<void>(sys::write_owner(directory, plan::kCacheOwner, plan::cached_project(workspaces, plan.working_dir)));
}

void Runner::set_decider(std::shared_ptr<Decider> decider) noexcept { body_->decider = std::move(decider); }

Result<Plan> Runner::compile(const Policy& policy, const Command& command) const noexcept {
  return guarded([&]() -> Result<Plan> {
    PF_CHECK(check(command));
    auto host = sys::real_host();
    PF_TRY(scope, policy::Scope::build(policy, *host));
    const bool asks = command.ask && body_->decider != nullptr;
    return plan_of(scope, command, asks ? Approver::kDecider : Approver::kNone, *host);
  });
}

Result<std::vector<Coverage>> Runner::assess(const Plan& plan) const noexcept {
  return guarded([&]() -> Result<std::vector<Coverage>> {
    const backend::Registry registry = body_->backends();
    supervisor::Choice choice(registry.all(), plan, supervisor::Choice::First::kRehearse);
    PF_CHECK(choice.make());
    return choice.sandbox()->coverage();
  });
}

Result<RunResult> Runner::run(const Policy& policy, const Command& command) const noexcept {
  return guarded([&]() -> Result<RunResult> {
    PF_CHECK(check(command));
    auto host = sys::real_host();
    const backend::Registry registry = body_->backends();
    if (!registry.backends.empty()) registry.backends[0]->begin(policy.network.mode);
    PF_TRY(scope, policy::Scope::build(policy, *host));
    const std::shared_ptr<Decider> decider = body_->decider;
    const Approver approver = command.ask && decider != nullptr ? Approver::kDecider : Approver::kNone;
    PF_TRY(plan, plan_of(scope, command, approver, *host));
    PF_TRY(temporary, library::make_own_directories(plan, *host));
    if (temporary) {
      PF_TRY(again, policy::Scope::build(policy, *host));
      PF_TRY(plan_again, plan_of(again, command, approver, *host));
      plan = std::move(plan_again);
    }
    library::keep_cache_owner(plan, scope.workspaces());

    supervisor::Capture capture{command.input, command.capture_limit};
    supervisor::RunRequest request;
    request.plan = &plan;
    request.candidates = registry.all();
    request.argv = command.argv;
    request.signals = supervisor::Signals::kLeave;
    request.decider = decider.get();
    if (command.output == Output::kCapture) request.capture = &capture;
    std::optional<library::ApprovalCallback> asker;
    if (approver == Approver::kDecider) {
      request.approver = &asker.emplace(*decider);
      request.widen = [&](const std::vector<Grant>& grants) -> Result<Plan> {
        Policy wider_policy = policy;
        PF_CHECK(policy::add_live_grants(wider_policy, grants, *host));
        PF_TRY(wider, policy::Scope::build(wider_policy, *host));
        return plan_of(wider, command, approver, *host);
      };
    }
    RunResult result;
    result.report = supervisor::run(request, *host);
    result.out = std::move(capture.out);
    result.err = std::move(capture.err);
    result.truncated = capture.truncated;
    return result;
  });
}

}  // namespace pinfold
