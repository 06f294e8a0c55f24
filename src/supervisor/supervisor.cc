// supervisor.cc: one run, from the prepared sandbox to the report.
// Invariant: one event loop, no threads; every process inside is dead before the report is made, for any end of the
// run. Not here: enforcement (backend), streams (relay.cc), admission (admit.cc).
#include "supervisor/supervisor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <optional>
#include <set>

#include "base/try.h"
#include "plan/grants.h"
#include "report/hints.h"
#include "report/infer.h"
#include "report/outcome.h"
#include "supervisor/admit.h"
#include "supervisor/choose.h"
#include "supervisor/explain.h"
#include "supervisor/limits.h"
#include "supervisor/network.h"
#include "supervisor/relay.h"
#include "supervisor/signals.h"
#include "supervisor/terminal.h"
#include "sys/call.h"
#include "sys/descriptors.h"
#include "sys/files.h"
#include "sys/outlet.h"

namespace pinfold::supervisor {
namespace {

using namespace std::chrono_literals;
using backend::StdioKind;

constexpr auto kGrace = 500ms;    // between SIGTERM and SIGKILL after a time-out
constexpr auto kSettled = 100ms;  // a command that still runs after this time may run for long
constexpr auto kDry = 3s;         // time to read what dead processes left in a pipe
constexpr auto kAskedToEnd = 5s;  // a command that ends this soon after a forwarded signal ended because of it
constexpr auto kDrained = 5s;     // limit for sending on what dead processes wrote to the network
constexpr std::size_t kMostDenials = 1000;
constexpr auto kDrainInterval = 1ms;
constexpr auto kTerminalDry = 20ms;    // until data written to a terminal can be read
constexpr auto kWatchInterval = 20ms;  // for limits that the kernel does not enforce

bool same_file(int a, int b) {
  struct stat left {};
  struct stat right {};
  return ::fstat(a, &left) == 0 && ::fstat(b, &right) == 0 && left.st_dev == right.st_dev &&
         left.st_ino == right.st_ino;
}

class Run final : public backend::SandboxEvents, private Streams {
 public:
  Run(const RunRequest& request, Choice& choice, sys::EventLoop& loop, HostView& host, Report& report)
      : request_(request),
        choice_(choice),
        loop_(loop),
        report_(report),
        host_(host),
        signals_(loop),
        terminal_(request.capture == nullptr ? UserTerminal::find() : std::nullopt) {}

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() override {
    for (const auto timer : timers_) loop_.cancel(timer);
  }

  Result<void> go() {
    // Captured output is written to no stream, so no SIGPIPE can occur.
    if (request_.capture == nullptr || request_.signals == Signals::kForward)
      PF_CHECK(signals_.start(request_.signals, [this](int number) { serve_signal(number); }));
    auto started = launch();
    if (!started) {
      signals_.stop();
      return started;
    }
    if (request_.approver != nullptr) request_.approver->begin(loop_, *this);
    sandbox().attach(loop_, *this);
    start_timers();
    if (request_.started) request_.started();
    auto watched = loop_.run();
    if (request_.approver != nullptr) request_.approver->end();
    if (!watched) return tl::unexpected<Error>(std::move(watched).error().within("watching the command"));
    if (terminal_) terminal_->leave();
    return {};
  }

  // Call after sandbox.finish(), when every process inside is dead.
  void conclude(std::vector<Denial> from_sandbox) {
    if (network_) network_->conclude(report_);
    network_.reset();
    for (auto& each : from_sandbox) denied(std::move(each));
    if (inference_)
      for (auto& each : std::move(*inference_).finish()) denied(std::move(each));
    // A flood of attempts must not hide one of them silently.
    if (more_denials_ > 0)
      report_.notes.push_back(std::to_string(more_denials_) + " more attempts were denied, beyond the report's limit");
    report_.denials = std::move(denials_);
    signals_.stop();
  }

  void command_ended(const backend::CommandExit& ended) override {
    if (!outcome_) {
      if (WIFSIGNALED(ended.wait_status))
        outcome_ = Signaled{WTERMSIG(ended.wait_status), limit_signal(WTERMSIG(ended.wait_status))};
      else
        outcome_ = Exited{WEXITSTATUS(ended.wait_status)};
    }
    if (asked_to_end_ && sys::Clock::now() - *asked_to_end_ < kAskedToEnd) hurry();
    if (request_.leftovers == Leftovers::kLeave)
      leave_the_rest();
    else
      end_everything();
  }

  void command_stopped() override {
    if (!pty_.is_open()) return;
    // With kLeave this is a program that uses the library: no shell would continue it.
    if (request_.signals == Signals::kLeave) return sandbox().signal(SIGCONT);
    if (terminal_) terminal_->restore();
    ::kill(::getpid(), SIGSTOP);  // the caller's shell gets control here, and "fg" continues below
    if (terminal_) terminal_->make_raw();
    resize();
    sandbox().signal(SIGCONT);
  }

  bool request_approval(std::uint64_t call, const Denial& denial, backend::OnceOption once) override {
    if (!approvals_) return false;
    Denial named = denial;
    if (network_ && !network_->is_denied(named)) {
      static_cast<void>(sandbox().answer(call, ApprovalDecision::kOnce, nullptr));
      return true;
    }
    const bool by_address = denial.grant && denial.grant->kind == Grant::Kind::kNetwork;
    if (by_address && !network_) return false;
    approvals_->ask(call, named, once);
    return true;
  }
  void approval_withdrawn(std::uint64_t call) override {
    if (approvals_) approvals_->withdrawn(call);
  }

  void denied(Denial denial) override {
    if (network_ && !network_->is_denied(denial)) return;
    plan::move_note(denial);
    if (request_.approver != nullptr) request_.approver->denied(denial);
    if (request_.denied) return request_.denied(denial);
    for (Denial& known : denials_) {
      if (known.resource != denial.resource) continue;
      // An error message does not always name the operation.
      if (denial.source == DenialSource::kInferred && known.source == DenialSource::kObserved) return;
      if (known.operation != denial.operation) continue;
      // One host can be refused for several reasons, each with another fix.
      if (!denial.host.empty() && denial.source == known.source && known.rule != denial.rule) continue;
      // An observed denial is not counted again for the command's error message.
      if (denial.source != DenialSource::kInferred || known.source == DenialSource::kInferred)
        known.count += denial.count;
      return;
    }
    if (denials_.size() < kMostDenials)
      denials_.push_back(std::move(denial));
    else
      ++more_denials_;
  }

  void breached(Denial denial, std::string note) override {
    denied(std::move(denial));
    report_.notes.push_back(note + "; the run was ended");
    if (!outcome_) outcome_ = Signaled{SIGKILL, "files.protected-new"};
    hurry();
    end_everything();
  }

  void sandbox_gone(std::string why) override {
    if (!outcome_) outcome_ = SetupFailed{SetupStage::kSandbox, "the sandbox ended before its command: " + why, ""};
    end_everything();
    // Without a pid namespace, orphans can hold the streams open for ever.
    later(kDry, [this] { drain_streams(); });
  }

 private:
  void serve_signal(int number) {
    if (number == SIGWINCH) {
      resize();
    } else if (number == SIGTSTP) {
      sandbox().signal(SIGTSTP);
      ::kill(::getpid(), SIGSTOP);
    } else {
      const bool ends = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
      // The command has ended, and Pinfold waits for a reader: the first signal bounds that wait, the next one ends it.
      if (ends && ending_) return hurried_ ? give_up_on_readers() : hurry();
      if (ends) asked_to_end_ = sys::Clock::now();
      sandbox().signal(number);
    }
  }

  void resize() {
    if (!terminal_ || !pty_.is_open()) return;
    winsize size = terminal_->size();
    ::ioctl(pty_.raw(), TIOCSWINSZ, &size);  // the kernel sends SIGWINCH to the foreground group inside
  }

  Result<void> launch() {
    backend::Launch launch;
    launch.argv = request_.argv;
    launch.working_dir = request_.working_dir;
    launch.variables = request_.variables;
    if (request_.signals == Signals::kLeave) launch.signals = backend::SignalState::kFresh;
    // To tell whether the CPU time limit ended the command, its usage is read afterwards, so the sandbox must stay.
    if (!limit_of(*request_.plan, LimitKind::kCpuTime)) launch.after_exit = backend::AfterExit::kEnd;
    std::array<bool, 3> tty{};
    for (int i = 0; i < 3 && request_.capture == nullptr; ++i) {
      tty[static_cast<std::size_t>(i)] = ::isatty(i) == 1;
      if (tty[static_cast<std::size_t>(i)]) launch.stdio[i] = StdioKind::kTerminal;
    }
    if (terminal_) {
      launch.terminal = terminal_->settings();
      launch.terminal_size = terminal_->size();
    }
    output_limit_ = limit_of(*request_.plan, LimitKind::kOutputSize);
    PF_TRY(ends, request_.capture != nullptr ? capture(launch) : interpose(launch, tty), "setting up streams");
    PF_TRY(started, start(launch));
    for (sys::Fd& end : ends) end.reset();  // so that only the command has the write ends
    for (auto& relay : relays_) relay->start();
    if (started.terminal.is_open()) relay_terminal(std::move(started.terminal), tty);
    return {};
  }

  backend::Sandbox& sandbox() { return *choice_.sandbox(); }

  void start_approvals() {
    approvals_.reset();
    if (request_.approver == nullptr) return;
    Approvals::Hooks hooks;
    hooks.sandbox = [this]() -> backend::Sandbox& { return sandbox(); };
    hooks.grant_network = [this](const Grant& grant, ApprovalDecision decision) {
      return network_ ? network_->grant(grant, decision) : no_network();
    };
    hooks.revoke_network = [this](const Grant& grant) { return network_ ? network_->take_back(grant) : no_network(); };
    hooks.denied = [this](Denial denial) { denied(std::move(denial)); };
    hooks.note = [this](std::string note) { report_.notes.push_back(std::move(note)); };
    approvals_.emplace(*request_.approver, request_.widen, std::move(hooks));
    request_.approver->take_back = [this](const Grant& grant) { return approvals_->take_back(grant); };
  }

  static Result<void> no_network() {
    return fail(ErrorKind::kUnavailable, "this sandbox has no network to which a grant can be added", "start it again");
  }

  void hold() override {
    for (auto& relay : relays_) relay->hold();
    if (input_) input_->hold();
  }
  void release() override {
    for (auto& relay : relays_) relay->release();
    if (input_) input_->release();
    // A prompt may have changed the terminal's mode.
    if (input_ && terminal_ && !ending_) terminal_->make_raw();
  }
  void interrupt() override { sandbox().signal(SIGINT); }

  // The loop may outlive this run.
  void later(std::chrono::milliseconds delay, std::function<void()> handler) {
    auto id = std::make_shared<sys::EventLoop::TimerId>();
    *id = loop_.after(delay, [this, id, handler = std::move(handler)] {
      timers_.erase(*id);
      handler();
    });
    timers_.insert(*id);
  }

  // A missing mechanism can show only at the start. The command has not run then, so another backend can be chosen.
  Result<backend::StartResult> start(const backend::Launch& launch) {
    for (;;) {
      // Sandboxed processes keep the caller's limit, because init was forked before.
      std::size_t descriptors = 0;
      if (request_.signals == Signals::kForward) descriptors = sys::raise_descriptor_limit();
      auto started = start_network().and_then([&] { return sandbox().start(launch); });
      if (started || started.error().kind() != ErrorKind::kUnavailable) return started;
      if (descriptors > 0) sys::lower_descriptor_limit(descriptors);
      PF_CHECK(choice_.remake(started.error()));
      if (auto refused = admit(request_, choice_, host_, report_))
        return fail(ErrorKind::kUnavailable, refused->reason, refused->fix);
    }
  }

  Result<void> start_network() {
    network_.reset();
    start_approvals();
    if (request_.leftovers == Leftovers::kLeave) return {};  // the session owns the network
    for (const Step& step : request_.plan->steps) {
      const auto* network = std::get_if<Network>(&step.body);
      if (network == nullptr || network->mode != NetworkMode::kDomains) continue;
      AskName ask;
      if (approvals_)
        ask = [this](const Denial& denial, std::function<void(bool)> done) {
          approvals_->ask(denial, std::move(done));
        };
      network_.emplace(
          loop_, sandbox(), *network, [this](Denial denial) { denied(std::move(denial)); }, std::move(ask));
      if (request_.approver != nullptr)
        network_->connected = [this](const Connection& connection) { request_.approver->connected(connection); };
      auto begun = network_->start();
      // No destination is granted: without a relay the enforcement is the same.
      if (!begun && begun.error().kind() != ErrorKind::kUnavailable && network->reaches_nothing()) {
        network_.reset();
        return {};
      }
      return begun;
    }
    return {};
  }

  // Puts pipes between the command and our stdout and stderr where bytes must be inspected or counted; returns the
  // command's ends.
  Result<std::vector<sys::Fd>> interpose(backend::Launch& launch, const std::array<bool, 3>& tty) {
    std::vector<sys::Fd> theirs;
    bool merged = !tty[1] && !tty[2] && same_file(1, 2);  // one pipe keeps the order of the two
    for (int stream : {2, 1}) {
      if (tty[static_cast<std::size_t>(stream)]) continue;
      if (stream == 1 && merged) {
        launch.fds[1] = launch.fds[2];
        continue;
      }
      if (stream == 1 && !output_limit_ && !may_be_held()) continue;
      PF_TRY(end, pipe_to(stream, stream == 2 || merged, nullptr));
      launch.fds[stream] = end.raw();
      theirs.push_back(std::move(end));
    }
    return theirs;
  }

  // Whether a process that the command leaves running could hold the caller's pipe open, so that its reader never gets
  // the end.
  bool may_be_held() const {
    struct stat info {};
    return request_.leftovers == Leftovers::kLeave && ::fstat(1, &info) == 0 &&
           (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
  }

  // Uses none of the caller's streams. The input is a sealed memfd, not a pipe, so no writer can block.
  Result<std::vector<sys::Fd>> capture(backend::Launch& launch) {
    Capture& into = *request_.capture;
    std::vector<sys::Fd> theirs;
    PF_TRY(input, into.input.empty()
                      ? sys::call_fd("open", "/dev/null", [] { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); })
                      : sys::sealed_file(into.input));
    PF_TRY(out, pipe_to(-1, false, &into.out));
    PF_TRY(err, pipe_to(-1, true, &into.err));
    theirs.push_back(std::move(input));
    theirs.push_back(std::move(out));
    theirs.push_back(std::move(err));
    for (std::size_t i = 0; i < 3; ++i) launch.fds[i] = theirs[i].raw();
    return theirs;
  }

  // The command's end of a new pipe; the other end is relayed to `to`, or its data kept in `keep`.
  Result<sys::Fd> pipe_to(int to, bool look, std::string* keep) {
    int ends[2];
    PF_TRY(made, sys::call("pipe2", "relay", [&] { return ::pipe2(ends, O_CLOEXEC); }));
    static_cast<void>(made);
    auto theirs = sys::Fd::adopt(ends[1]);
    add_relay(sys::Fd::adopt(ends[0]), to, look, keep);
    return theirs;
  }

  void keep_bytes(std::string& kept, std::string_view bytes) {
    const std::size_t room = request_.capture->limit - std::min(request_.capture->limit, kept.size());
    if (bytes.size() > room) request_.capture->truncated = true;
    kept.append(bytes.substr(0, room));
  }

  void add_relay(sys::Fd from, int to, bool look, std::string* keep) {
    relays_.push_back(std::make_unique<Relay>(
        loop_, std::move(from), to,
        [this, look, keep](std::string_view bytes) {
          if (look && request_.errors)
            request_.errors(bytes);
          else if (look)
            inference().feed(bytes);
          const std::size_t passes = count(bytes.size());
          if (keep != nullptr) keep_bytes(*keep, bytes.substr(0, passes));
          return passes;
        },
        [this] { maybe_stop(); }));
  }

  report::Inference& inference() {
    if (!inference_) inference_.emplace(*request_.plan, host_);
    return *inference_;
  }

  void relay_terminal(sys::Fd master, const std::array<bool, 3>& tty) {
    pty_ = sys::Fd::adopt(::fcntl(master.raw(), F_DUPFD_CLOEXEC, 3));
    int shown = tty[1] ? 1 : tty[2] ? 2 : 0;
    add_relay(std::move(master), shown, true, nullptr);
    relays_.back()->start();
    if (!tty[0]) return;
    terminal_->make_raw();
    auto input = sys::Fd::adopt(::fcntl(0, F_DUPFD_CLOEXEC, 3));
    input_ = std::make_unique<Relay>(loop_, std::move(input), pty_.raw(), nullptr, nullptr);
    input_->start();
  }

  void start_timers() {
    if (auto wall = limit_of(*request_.plan, LimitKind::kWallTime)) {
      auto after = std::chrono::milliseconds(*wall);
      later(after, [this, after] {
        hurry();
        if (ending_) return;  // only a reader is left to wait for
        outcome_ = TimedOut{after};
        deny_limit(step_name::kWallTime, "--timeout");
        sandbox().terminate();
        later(kGrace, [this] { end_everything(); });
      });
    }
    memory_limit_ = sandbox().watches(LimitKind::kMemory) ? limit_of(*request_.plan, LimitKind::kMemory) : std::nullopt;
    cpu_limit_ = sandbox().watches(LimitKind::kCpuTime) ? limit_of(*request_.plan, LimitKind::kCpuTime) : std::nullopt;
    if (memory_limit_ || cpu_limit_) watch();
    if (request_.settled) later(kSettled, [this] { request_.settled(); });
  }

  void watch() {
    if (ending_) return;
    if (auto used = sandbox().usage()) {
      if (memory_limit_ && (used->out_of_memory || used->memory > *memory_limit_))
        return over_limit(step_name::kMemory, "--memory");
      if (cpu_limit_ && used->cpu > std::chrono::milliseconds(*cpu_limit_))
        return over_limit(step_name::kCpuTime, "--cpu-time");
    }
    later(kWatchInterval, [this] { watch(); });
  }

  // Counts output; returns how many of the bytes may pass.
  std::size_t count(std::size_t bytes) {
    const std::uint64_t before = output_;
    output_ += bytes;
    if (!output_limit_ || output_ <= *output_limit_) return bytes;
    if (before <= *output_limit_ && !ending_) over_limit(step_name::kOutputSize, "--output-limit");
    return static_cast<std::size_t>(*output_limit_ - std::min(before, *output_limit_));
  }

  void deny_limit(const std::string& step, const std::string& flag) {
    denied(limit_denial(*request_.plan, step, flag));
  }

  void over_limit(const std::string& step, const std::string& flag) {
    if (!outcome_) outcome_ = Signaled{SIGKILL, step};
    deny_limit(step, flag);
    hurry();
    end_everything();
  }

  // A limit that the kernel itself enforces by a signal.
  std::string limit_signal(int number) {
    if (number == SIGXFSZ && limit_of(*request_.plan, LimitKind::kFileSize)) {
      deny_limit(step_name::kFileSize, "--file-size");
      return step_name::kFileSize;
    }
    if ((number == SIGXCPU || number == SIGKILL) && cpu_limit_) {
      auto used = sandbox().usage();
      if (number == SIGXCPU || (used && used->cpu + 100ms > std::chrono::milliseconds(*cpu_limit_))) {
        deny_limit(step_name::kCpuTime, "--cpu-time");
        return step_name::kCpuTime;
      }
    }
    return {};
  }

  // Processes left running can hold the streams open for ever, but the command's output is complete now.
  void leave_the_rest() {
    ending_ = true;
    for (auto& relay : relays_) {
      if (pty_.is_open() && relay == relays_.back())
        later(kTerminalDry, [&relay] { relay->drain(); });
      else
        relay->drain();
    }
    maybe_stop();
  }

  // Kills all processes, then reads the streams to their end.
  void end_everything() {
    if (!ending_) {
      ending_ = true;
      drained_by_ = sys::Clock::now() + kDrained;
      sandbox().kill();
      // Another thread of the caller may have forked while the pipes were open; then they get no end of file.
      if (request_.capture != nullptr) later(kDry, [this] { drain_streams(); });
    }
    maybe_stop();
  }

  // Reads only the bytes that are available now; they still go to their reader.
  void drain_streams() {
    for (auto& relay : relays_) relay->drain();
    maybe_stop();
  }

  // After a time-out, a limit or a signal, a reader that takes no data must not delay the end. After a command that
  // exits by itself the wait is unbounded: as with any program, its output waits for its reader.
  void hurry() {
    if (std::exchange(hurried_, true)) return;
    if (request_.hurried) request_.hurried();
    watch_readers(passed());
  }

  void watch_readers(std::uint64_t before) {
    later(sys::Outlet::kUnread, [this, before] {
      const std::uint64_t now = passed();
      if (ending_ && now == before) return give_up_on_readers();
      watch_readers(now);
    });
  }

  std::uint64_t passed() const {
    std::uint64_t sum = 0;
    for (const auto& relay : relays_) sum += relay->passed();
    return sum;
  }

  void give_up_on_readers() {
    bool lost = false;
    for (auto& relay : relays_) {
      relay->drain();
      if (relay->is_finished()) continue;
      lost = true;
      relay->abandon();
    }
    if (lost)
      report_.notes.emplace_back(
          "Pinfold dropped the last of the command's output: the run ended and the reader read nothing for 2 s");
    maybe_stop();
  }

  void maybe_stop() {
    if (!ending_) return;
    for (const auto& relay : relays_)
      if (!relay->is_finished()) return;
    if (network_ && !network_->is_drained() && sys::Clock::now() < drained_by_) {
      later(kDrainInterval, [this] { maybe_stop(); });
      return;
    }
    report_.outcome = *outcome_;
    for (const auto& relay : relays_)
      if (relay->lost()) output_was_lost(*relay->lost());
    for (auto& relay : relays_)
      if (auto source = relay->take_source(); source.is_open()) sandbox().keep_reading(std::move(source));
    loop_.stop();
  }

  // A command with exit code 0 whose output is incomplete must not count as a success.
  void output_was_lost(const Error& why) {
    const std::string what = "part of the command's output was lost: " + why.text();
    const auto* exited = std::get_if<Exited>(&report_.outcome);
    if (exited != nullptr && exited->code == 0)
      report_.outcome = SetupFailed{SetupStage::kSandbox, what, why.fix()};
    else
      report_.notes.push_back(what);
  }

  const RunRequest& request_;
  Choice& choice_;
  sys::EventLoop& loop_;
  Report& report_;
  HostView& host_;
  SignalWatch signals_;
  std::optional<report::Inference> inference_;  // created by the first error output
  std::optional<UserTerminal> terminal_;
  sys::Fd pty_;
  std::vector<std::unique_ptr<Relay>> relays_;
  std::unique_ptr<Relay> input_;
  std::optional<std::uint64_t> output_limit_;
  std::optional<std::uint64_t> memory_limit_;
  std::optional<std::uint64_t> cpu_limit_;
  std::uint64_t output_ = 0;
  std::vector<Denial> denials_;
  std::uint64_t more_denials_ = 0;
  std::optional<Outcome> outcome_;
  bool ending_ = false;
  bool hurried_ = false;
  std::optional<sys::Clock::time_point> asked_to_end_;  // time of the forwarded signal
  std::set<sys::EventLoop::TimerId> timers_;
  sys::Clock::time_point drained_by_{};
  std::optional<Approvals> approvals_;
  std::optional<NetworkByName> network_;
};

void report_choice(const Choice& choice, Report& report) {
  report.choice = choice.candidates();
  report.backend = choice.name();
  if (choice.sandbox() != nullptr) report.coverage = choice.sandbox()->coverage();
}

}  // namespace

Report run(const RunRequest& request, HostView& host) {
  auto loop = sys::EventLoop::create();  // outlives the sandbox, which is attached to it
  if (loop) return run(request, host, *loop);
  Report report;
  report.started_at = std::chrono::system_clock::now();
  report.outcome = report::outcome_of(loop.error());
  return report;
}

Report run(const RunRequest& request, HostView& host, sys::EventLoop& loop) {
  Report report;
  report.started_at = std::chrono::system_clock::now();
  auto began = sys::Clock::now();
  auto refuse = [&](const Error& error) {
    report.outcome = report::outcome_of(error);
    return report;
  };
  Choice choice(request.candidates, *request.plan, Choice::First::kProbeByStart);
  if (auto made = choice.make(); !made) {
    report_choice(choice, report);
    report.fixes = report::fixes(host, report.choice, {});
    return refuse(made.error());
  }
  Run live(request, choice, loop, host, report);
  if (auto refused = admit(request, choice, host, report)) {
    report_choice(choice, report);
    report.outcome = *refused;
    return report;
  }
  auto went = live.go();
  report_choice(choice, report);
  std::vector<Denial> denials;
  if (choice.sandbox() != nullptr) report.usage = choice.sandbox()->finish(report.notes, denials);
  live.conclude(std::move(denials));
  report.usage.wall = std::chrono::duration_cast<std::chrono::microseconds>(sys::Clock::now() - began);
  if (!went) {
    report.outcome = report::outcome_of(went.error());
    explain_no_start(went.error(), request, host, report);
    return report;
  }
  if (auto* signaled = std::get_if<Signaled>(&report.outcome);
      signaled != nullptr && signaled->by.empty() &&
      std::find(report.notes.begin(), report.notes.end(), backend::kOutOfMemoryNote) != report.notes.end())
    signaled->by = step_name::kMemory;
  return report;
}

}  // namespace pinfold::supervisor
