// run.cc: supervisor.h on Windows: starts, watches, times and ends one command on the caller's own streams.
// Invariant: the command is not started unless every required step is enforced or the caller accepted the gap; ending
// it ends its whole job. Not here: live approvals, sessions, captured output (not supported on Windows).
#include <atomic>
#include <csignal>

#include "report/hints.h"
#include "report/outcome.h"
#include "supervisor/admit.h"
#include "supervisor/choose.h"
#include "supervisor/supervisor.h"
#include "supervisor/windows/exit_status.h"
#include "sys/windows/winapi.h"

namespace pinfold::supervisor {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr int kKilled = 9;  // SIGKILL, which Windows does not define

// Number of requests to end: Ctrl-C, Ctrl-Break, a closed window.
std::atomic<int> interrupts{0};
std::atomic<bool> closing{false};

BOOL WINAPI on_control(DWORD kind) {
  if (kind != CTRL_C_EVENT) closing = true;
  ++interrupts;
  return TRUE;  // this process goes on; the command gets the event, too
}

class ControlHandler {
 public:
  ControlHandler() {
    interrupts = 0;
    closing = false;
    ::SetConsoleCtrlHandler(on_control, TRUE);
  }
  ControlHandler(const ControlHandler&) = delete;
  ControlHandler& operator=(const ControlHandler&) = delete;
  ~ControlHandler() { ::SetConsoleCtrlHandler(on_control, FALSE); }
};

// Whether the command gets Ctrl-C itself, which is so if it shares this console.
bool shares_console() {
  for (const DWORD stream : {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    DWORD mode = 0;
    if (::GetConsoleMode(::GetStdHandle(stream), &mode) != 0) return true;
  }
  return false;
}

class Run final : public backend::SandboxEvents {
 public:
  Run(const Plan& plan, backend::Sandbox& sandbox, sys::EventLoop& loop) : sandbox_(sandbox), loop_(loop) {
    for (const Step& step : plan.steps)
      if (const auto* limit = std::get_if<LimitStep>(&step.body)) {
        if (limit->kind == LimitKind::kWallTime) wall_ = std::chrono::milliseconds(limit->amount);
        if (limit->kind == LimitKind::kCpuTime) cpu_ = std::chrono::milliseconds(limit->amount);
      }
  }

  Outcome wait() {
    if (wall_) loop_.after(*wall_, [this] { end_with(TimedOut{*wall_}); });
    loop_.after(std::chrono::milliseconds(0), [this] { watch(); });  // not before the loop runs: see EventLoop::stop
    sandbox_.attach(loop_, *this);
    if (auto ran = loop_.run(); !ran && !outcome_) end_with(SetupFailed{SetupStage::kSandbox, ran.error().text(), {}});
    return outcome_.value_or(SetupFailed{SetupStage::kSandbox, "the command's end was not seen", {}});
  }

  void command_ended(const backend::CommandExit& ended) override {
    if (!outcome_) outcome_ = outcome_of_exit(static_cast<std::uint32_t>(ended.wait_status));
    loop_.stop();
  }
  void command_stopped() override {}
  void denied(Denial /*denial*/) override {}
  void breached(Denial /*denial*/, std::string /*note*/) override {}
  void sandbox_gone(std::string why) override { end_with(SetupFailed{SetupStage::kSandbox, std::move(why), {}}); }

 private:
  void end_with(Outcome outcome) {
    if (!outcome_) outcome_ = std::move(outcome);
    sandbox_.kill();
    loop_.stop();
  }

  void watch() {
    const int wanted = interrupts.load();
    if (closing.load() || wanted > 1 || (wanted == 1 && !on_console_)) return end_with(Signaled{SIGINT, {}});
    const auto used = sandbox_.usage();
    if (used && cpu_ && used->cpu >= *cpu_) return end_with(Signaled{kKilled, step_name::kCpuTime});
    if (used && used->out_of_memory) return end_with(Signaled{kKilled, step_name::kMemory});
    loop_.after(kBetweenLooks, [this] { watch(); });
  }

  backend::Sandbox& sandbox_;
  sys::EventLoop& loop_;
  bool on_console_ = shares_console();
  std::optional<std::chrono::milliseconds> wall_;
  std::optional<std::chrono::milliseconds> cpu_;
  std::optional<Outcome> outcome_;
};

}  // namespace

Report run(const RunRequest& request, HostView& host) {
  auto loop = sys::EventLoop::create();
  if (loop) return run(request, host, *loop);
  Report report;
  report.outcome = report::outcome_of(loop.error());
  return report;
}

Report run(const RunRequest& request, HostView& host, sys::EventLoop& loop) {
  Report report;
  report.started_at = std::chrono::system_clock::now();
  const auto began = sys::Clock::now();
  Choice choice(request.candidates, *request.plan, Choice::First::kRehearse);
  const auto made = choice.make();
  report.choice = choice.candidates();
  if (!made) {
    report.outcome = report::outcome_of(made.error());
    return report;
  }
  report.backend = choice.name();
  report.coverage = choice.sandbox()->coverage();
  if (auto refused = admit(request, choice, host, report)) {
    report.outcome = std::move(*refused);
    return report;
  }
  const ControlHandler control;
  backend::Launch launch;
  launch.argv = request.argv;
  launch.working_dir = request.working_dir;
  launch.variables = request.variables;
  const auto started = choice.sandbox()->start(launch);
  if (started) {
    if (request.started) request.started();
    Run run(*request.plan, *choice.sandbox(), loop);
    report.outcome = run.wait();
  } else {
    report.outcome = report::outcome_of(started.error());
  }
  report.usage = choice.sandbox()->finish(report.notes, report.denials);
  report.usage.wall = std::chrono::duration_cast<std::chrono::microseconds>(sys::Clock::now() - began);
  return report;
}

}  // namespace pinfold::supervisor
