// backend.cc: makes the sandbox: container, grants, job, process.
// Invariant: grants are in the journal before they are made, and undone by the destructor; before the process runs, it
// is in its job and its token is checked. Without app containers, every step that needs one is absent. Not here:
// waiting, time limits (supervisor).
#include "backend/windows/os/backend.h"

#include <io.h>

#include <optional>
#include <random>

#include <fmt/format.h>

#include "backend/windows/command_line.h"
#include "backend/windows/coverage.h"
#include "backend/windows/environment_block.h"
#include "backend/windows/os/container.h"
#include "backend/windows/os/job.h"
#include "backend/windows/os/journal.h"
#include "backend/windows/os/launch.h"
#include "backend/windows/os/program.h"
#include "backend/windows/variables.h"
#include "base/paths.h"
#include "base/try.h"
#include "base/windows_paths.h"
#include "sys/windows/files.h"

namespace pinfold::backend::on_windows {
namespace {

using std::string;

template <typename Body>
const Body* find_step(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (const auto* body = std::get_if<Body>(&step.body)) return body;
  return nullptr;
}

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(::_get_osfhandle(fd)); }

Streams streams_of(const int (&fds)[3]) {
  for (const int fd : fds) {
    DWORD mode = 0;
    if (::GetConsoleMode(handle_of(fd), &mode) != 0) return Streams::kConsole;
  }
  return Streams::kElsewhere;
}

string new_name() {
  std::random_device random;
  return fmt::format("pinfold.{}.{:08x}{:08x}", ::GetCurrentProcessId(), random(), random());
}

class AppSandbox final : public Sandbox {
 public:
  AppSandbox(const Plan& plan, string journals, std::vector<string> system)
      : plan_(plan), journals_(std::move(journals)), name_(new_name()) {
    facts_.system = std::move(system);
  }
  AppSandbox(const AppSandbox&) = delete;
  AppSandbox& operator=(const AppSandbox&) = delete;
  ~AppSandbox() override {
    if (job_ && !finished_) job_->finish();
  }

  Result<void> set_up() {
    notes_ = recover(journals_);
    facts_.no_container = why_no_containers();
    facts_.no_child_policy = why_no_child_policy();
    facts_.streams = streams_of({0, 1, 2});
    // First, and also without grants: if this process is killed, recover() finds the container and the private
    // directory by the journal.
    PF_TRY(journal, JournalFile::create(journals_, name_), "preparing the sandbox");
    journal_.emplace(std::move(journal));
    if (facts_.no_container.empty()) {
      auto made = Container::create(name_);
      if (made)
        container_.emplace(std::move(*made));
      else
        facts_.no_container = made.error().text();
    }
    const AclPlan acl = acl_plan(plan_, facts_.system);
    coverage_ = windows_coverage(plan_, acl, facts_);
    if (container_) PF_CHECK(journal_->apply(container_->sid_text(), acl.changes), "preparing the sandbox");
    PF_CHECK(make_private_directories(), "preparing the sandbox");
    PF_TRY(job, Job::create(plan_), "preparing the sandbox");
    job_.emplace(std::move(job));
    return {};
  }

  const std::vector<Coverage>& coverage() const override { return coverage_; }

  Result<StartResult> start(const Launch& launch) override {
    LaunchRequest request;
    request.working_dir = launch.working_dir.empty() ? plan_.working_dir : launch.working_dir;
    PF_TRY(program, find_program(launch.argv.at(0), plan_, request.working_dir));
    request.program = std::move(program);
    std::vector<string> argv = launch.argv;
    PF_TRY(shown, windows_paths::to_windows(request.program));
    argv[0] = std::move(shown);
    PF_TRY(line, command_line(argv));
    request.command_line = std::move(line);
    PF_TRY(block, environment_block(variables_for(plan_, launch.variables, directories_)));
    request.environment = std::move(block);
    request.container = container_ ? container_->sid() : nullptr;
    if (const auto* network = find_step<Network>(plan_)) request.network = network->mode;
    if (const auto* exec = find_step<ExecLimit>(plan_)) request.exec = exec->mode;
    request.streams = streams_of(launch.fds);
    request.job = job_->raw();
    for (std::size_t i = 0; i < 3; ++i) request.stdio[i] = handle_of(launch.fds[i]);
    PF_TRY(process, on_windows::launch(request), "starting the command");
    process_.emplace(std::move(process));
    auto runs = job_->add(process_->raw());
    if (runs) runs = process_->resume();
    if (runs) return StartResult{};
    process_->end(125);  // it may be outside of the job, which would end it
    return tl::unexpected<Error>(std::move(runs).error().within("starting the command"));
  }

  // The first poll runs in the loop, too: stop() before run() has no effect.
  void attach(sys::EventLoop& loop, SandboxEvents& events) override {
    loop.after(std::chrono::milliseconds(0), [this, &loop, &events] { poll(loop, events, 0); });
  }

  void signal(int /*number*/) override { kill(); }  // Windows has no signals
  void terminate() override { kill(); }
  void kill() override {
    if (job_) job_->end(1);
  }

  Usage finish(std::vector<string>& notes, std::vector<Denial>& /*denials*/) override {
    job_->finish();
    finished_ = true;
    const Job::Use used = job_->use();
    if (used.active > 0)
      notes.push_back(fmt::format("processes of the command that have not ended yet: {}", used.active));
    for (string& note : notes_) notes.push_back(std::move(note));
    notes_.clear();
    container_.reset();  // before its journal: recover() needs the journal if this process is killed now
    if (auto undone = journal_->roll_back(); !undone)
      notes.push_back("the grants of this run could not be revoked: " + undone.error().text());
    Usage out;
    out.cpu = used.cpu;
    out.peak_memory = used.peak_memory;
    out.processes = used.total;
    return out;
  }

  std::optional<TreeUsage> usage() override {
    if (!job_) return std::nullopt;
    const Job::Use used = job_->use();
    TreeUsage out;
    out.memory = used.peak_memory;
    out.processes = used.active;
    out.cpu = std::chrono::duration_cast<std::chrono::milliseconds>(used.cpu);
    out.out_of_memory = job_->reached() == LimitKind::kMemory;
    return out;
  }
  bool watches(LimitKind kind) const override { return kind == LimitKind::kCpuTime || kind == LimitKind::kMemory; }

 private:
  // The container's folder; without a container, a directory beside the journal that is removed with the journal.
  Result<void> make_private_directories() {
    if (container_) {
      PF_TRY(folder, container_->folder());
      directories_ = {folder, folder + "\\Temp"};
      return {};
    }
    const string tmp = paths::join(journals_, name_) + ".tmp";
    PF_CHECK(sys::make_directories(tmp));
    PF_TRY(shown, windows_paths::to_windows(tmp));
    directories_.tmp = std::move(shown);
    return {};
  }

  // Every 2 ms for the first 50 polls, for short programs; then every 10 ms.
  void poll(sys::EventLoop& loop, SandboxEvents& events, int polls) {
    const auto code = process_->exit_code();
    if (!code) return events.sandbox_gone("the command's exit cannot be observed: " + code.error().text());
    if (*code) return events.command_ended(CommandExit{static_cast<int>(**code)});
    loop.after(std::chrono::milliseconds(polls < 50 ? 2 : 10),
               [this, &loop, &events, polls] { poll(loop, events, polls + (polls < 50 ? 1 : 0)); });
  }

  Plan plan_;
  string journals_;
  string name_;
  WindowsFacts facts_;
  std::vector<string> notes_;
  std::vector<Coverage> coverage_;
  PrivateDirectories directories_;
  // Made in this order, destroyed in reverse.
  std::optional<JournalFile> journal_;
  std::optional<Container> container_;
  std::optional<Job> job_;
  std::optional<Process> process_;
  bool finished_ = false;
};

class AppContainerBackend final : public Backend {
 public:
  AppContainerBackend(string journals, std::vector<string> system)
      : journals_(std::move(journals)), system_(std::move(system)) {}
  std::string_view name() const override { return "appcontainer"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    if (journals_.empty())
      return fail(ErrorKind::kUnavailable, "there is no directory for the journal of grants", "set LOCALAPPDATA");
    auto sandbox = std::make_unique<AppSandbox>(plan, journals_, system_);
    PF_CHECK(sandbox->set_up());
    return sandbox;
  }

 private:
  string journals_;
  std::vector<string> system_;
};

}  // namespace

std::unique_ptr<Backend> make_appcontainer_backend(string journals, std::vector<string> system) {
  return std::make_unique<AppContainerBackend>(std::move(journals), std::move(system));
}

}  // namespace pinfold::backend::on_windows
