// sandbox.cc: starts init, sends it requests and receives its events.
// Invariant: a command starts only if init reports the confinement that the coverage claims; the destructor kills and
// reaps. Not here: the confinement (confinement.h, child/), streams and time limits (supervisor).
#include "backend/linux/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <utility>

#include "backend/linux/child/packet.h"
#include "backend/linux/grants/live_mounts.h"
#include "backend/linux/grants/pending_approvals.h"
#include "backend/linux/init/failure.h"
#include "backend/linux/init/init_channel.h"
#include "backend/linux/init/stdio_handoff.h"
#include "backend/linux/limits/tree_usage.h"
#include "backend/linux/lower/steps.h"
#include "backend/linux/notify/listener_set.h"
#include "backend/linux/observe/observer.h"
#include "backend/linux/protect/guard.h"
#include "backend/linux/protect/janitor.h"
#include "backend/linux/protect/placeholder.h"
#include "backend/linux/seccomp/filter.h"
#include "backend/linux/session_command.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/mask_directory.h"

namespace pinfold::backend::on_linux {
namespace {

using child::EventKind;
using child::EventMessage;
using child::RequestKind;
using child::RequestMessage;

std::vector<LimitStep> limits_of(const Plan& plan) {
  std::vector<LimitStep> limits;
  for (const Step& step : plan.steps)
    if (const auto* limit = std::get_if<LimitStep>(&step.body)) limits.push_back(*limit);
  return limits;
}

// Those of Pinfold's own directories that were made for this run or another one, only to be hidden.
std::vector<std::string> temporary_directories(const Plan& plan) {
  std::vector<std::string> paths;
  for (const Step& step : plan.steps)
    if (const auto* hide = std::get_if<HidePath>(&step.body);
        hide != nullptr && hide->own && sys::MaskDirectories::is_mask_or_missing(hide->at))
      paths.push_back(hide->at);
  return paths;
}

class LinuxSandbox final : public Sandbox, private CommandHost {
 public:
  LinuxSandbox(const Plan& plan, std::unique_ptr<Confinement> confinement)
      : plan_(plan), confinement_(std::move(confinement)), placeholders_(plan), masks_(temporary_directories(plan)) {}
  LinuxSandbox(const LinuxSandbox&) = delete;
  LinuxSandbox& operator=(const LinuxSandbox&) = delete;
  ~LinuxSandbox() override {
    std::vector<std::string> notes;
    std::vector<Denial> denials;
    finish(notes, denials);
  }

  Result<void> set_up() {
    PF_TRY(landlock, probe_landlock(), "querying the Landlock ABI");
    facts_.why_no_landlock = landlock.why_absent;
    const auto limits = limits_of(plan_);
    if (Cgroup::is_wanted(limits, confinement_->counting())) {
      cgroup_name_ = Cgroup::fresh_name();
      PF_CHECK(start_janitor());
      cgroup_ = Cgroup::create(limits, confinement_->counting(), cgroup_name_);
    }
    auto shared_memory = polls_memory() ? SharedMemory::kRefused : SharedMemory::kAllowed;
    PF_TRY(lowered, confinement_->lower(plan_, landlock, shared_memory));
    lowered_ = std::move(lowered);
    cgroup_.drop_replaced_rlimits(*lowered_);
    PF_TRY(guard, Guard::create(plan_));
    guard_ = std::move(guard);
    PF_CHECK(start_guards());
    facts_.landlock_abi = landlock.abi;
    facts_.private_network = lowered_->private_network;
    facts_.why_not_observed = lowered_->why_not_observed;
    facts_.asks = lowered_->asks;
    facts_.counting = confinement_->counting();
    PF_CHECK(begin());
    assess();
    return {};
  }

  const std::vector<Coverage>& coverage() const override { return coverage_; }

  Result<void> rehearse() override {
    Launch nothing;
    nothing.argv = {"/"};
    auto done = request(RequestKind::kRehearse, nothing);
    if (done) {
      channel_.listener.reset();
      return {};
    }
    if (done.error().kind() != ErrorKind::kUnavailable || setup_error_)
      return tl::unexpected<Error>(std::move(done).error());
    return rehearse();
  }

  Result<StartResult> start(const Launch& wanted) override {
    PF_TRY(launch, stdio_.prepare(wanted, plan_));
    return request(RequestKind::kRun, launch);
  }
  bool usable() const override { return !setup_error_; }

  Result<sys::Fd> open_socket(const SandboxSocket& wanted) override {
    if (setup_error_) return tl::unexpected<Error>(*setup_error_);
    if (!lowered_->blueprint.network_by_name)  // the socket would be in the host's network namespace
      return fail(ErrorKind::kSystem, "the sandbox has no network namespace of its own to open a socket in");
    RequestMessage message{};
    message.kind = RequestKind::kOpenSocket;
    message.socket.type = wanted.kind == SocketKind::kStream ? SOCK_STREAM : SOCK_DGRAM;
    message.socket.family = wanted.address.family == Family::kV4 ? AF_INET : AF_INET6;
    std::copy(wanted.address.bytes.begin(), wanted.address.bytes.end(), message.socket.address);
    message.socket.port = wanted.port;
    PF_CHECK(channel_.request(message, nullptr, 0));
    confinement_->before_waiting();
    PF_TRY(event, wait_for_reply(EventKind::kSocket), "opening a socket in the sandbox");
    if (event.value == 0 && channel_.socket.is_open()) return std::move(channel_.socket);
    return tl::unexpected<Error>(sys::os_error("bind", "inside", static_cast<int>(event.value)));
  }

  bool wants_proxy() const override { return confinement_->proxy_connector() != nullptr; }
  void use_proxy(std::uint16_t port, const std::vector<std::pair<std::string, std::string>>& variables) override {
    confinement_->proxy_connector()->set_port(port);
    auto& own = lowered_->environment;
    if (!own) own = environment() != nullptr ? *environment() : Environment{};
    for (const auto& added : variables) {
      std::erase_if(own->variables, [&](const Variable& each) { return each.name == added.first; });
      own->variables.push_back({added.first, added.second, {}});
    }
  }

  Result<std::unique_ptr<Sandbox>> open_command_sandbox() override { return open_session_command(*this); }

  void keep_reading(sys::Fd stream) override {
    const int fd = stream.raw();
    if (loop_ == nullptr || ::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) return;
    if (loop_->add(fd, sys::EventLoop::Interest::kRead, [this, fd] { drain_stream(fd); }))
      streams_[fd] = std::move(stream);
  }

  void attach(sys::EventLoop& loop, SandboxEvents& events) override {
    loop_ = &loop;
    events_ = &events;
    loop.add_or_report(
        channel_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); },
        [this](const Error& why) { events_->sandbox_gone(why.text()); });
    guard_->attach(loop, broadcast_, is_trapped() ? Guard::CreationCalls::kTrapped : Guard::CreationCalls::kNotTrapped);
    std::vector<CallHandler*> chain;
    if (CallHandler* first = confinement_->call_handler()) chain.push_back(first);
    if (ProxyConnector* connector = confinement_->proxy_connector()) {
      connector->attach(loop);
      chain.push_back(connector);
    }
    chain.push_back(guard_.get());
    if (is_trapped() && lowered_->observe != ObserveMode::kOff) {
      const Confinement::ObservedPlan observed = confinement_->observed_plan(plan_);
      if (lowered_->asks) approvals_.attach(loop, *guard_);
      chain.push_back(
          &observer_.emplace(*observed.plan, observed.ungranted, lowered_->asks ? &approvals_ : nullptr, *guard_));
    }
    listeners_.open(loop, events, std::move(chain));
    if (channel_.listener.is_open()) listeners_.add(std::move(channel_.listener), events);
  }

  Result<void> answer(std::uint64_t id, pinfold::ApprovalDecision answer,
                      const std::shared_ptr<const Plan>& wider) override {
    const Denial* asked = approvals_.denial_of(id);
    const bool widens = answer == pinfold::ApprovalDecision::kSession || answer == pinfold::ApprovalDecision::kAlways;
    if (asked != nullptr && widens && wider != nullptr && asked->grant) {
      if (auto widened = widen(*asked->grant, wider); !widened) {
        static_cast<void>(approvals_.answer(id, pinfold::ApprovalDecision::kDeny));
        return widened;
      }
    }
    return approvals_.answer(id, answer);
  }

  Result<void> revoke_grant(const Grant& grant, const std::shared_ptr<const Plan>& narrower) override {
    PF_TRY(left, live_mounts_.hide(grant));
    use_plan(narrower);
    if (left == LiveMounts::HideResult::kPrevious) return {};
    return live_mounts_.restore_mount(grant.resource);
  }

  void signal(int number) override { channel_.post(RequestKind::kSignal, number); }
  void terminate() override {
    channel_.post(RequestKind::kSignalAll, SIGTERM);
    channel_.post(RequestKind::kSignalAll, SIGCONT);
  }
  void kill() override {
    if (child_ > 0) confinement_->end_processes(channel_.is_open() ? channel_.raw() : -1, pidfd_.raw(), child_);
  }

  std::optional<TreeUsage> usage() override {
    auto used = channel_.proc.is_open() ? meter_.read(channel_.proc.raw(), confinement_->usage_root()) : std::nullopt;
    if (used) used->out_of_memory = cgroup_.out_of_memory();
    return used;
  }
  bool watches(LimitKind kind) const override { return limit_is_watched(kind); }

  Usage finish(std::vector<std::string>& notes, std::vector<Denial>& denials) override {
    Usage used;
    if (loop_ != nullptr) {
      if (guard_) guard_->detach();
      if (ProxyConnector* connector = confinement_->proxy_connector()) connector->close();
      approvals_.close();
      listeners_.close();
      loop_->remove(channel_.raw());
      for (const auto& [fd, stream] : streams_) loop_->remove(fd);
      loop_ = nullptr;
    }
    if (child_ > 0) {
      kill();
      close_channels();  // while the sandbox's processes exit
      confinement_->hasten_end();
      rusage resources{};
      int status = 0;
      while (::wait4(child_, &status, __WALL, &resources) < 0 && errno == EINTR) {
      }
      if (WIFSIGNALED(status)) confinement_->init_was_killed();
      if (WIFEXITED(status) && WEXITSTATUS(status) == child::kProcessesLeft)
        notes.emplace_back(
            "some processes of this run did not end within 60 s, or /proc did not list them: they may still be "
            "running");
      child_ = -1;
      used.cpu = micros(resources.ru_utime) + micros(resources.ru_stime);
      used.peak_memory = std::max(static_cast<std::uint64_t>(resources.ru_maxrss) * 1024, cgroup_.peak_memory());
      used.processes = processes_;
      used.trapped_calls = trapped_calls_;
      for (const PlanGap& gap : plan_.gaps)
        if (!gap.instead.empty()) notes.push_back(gap.gap + ": " + gap.instead);
      if (guard_) guard_->finish(notes, denials);
    }
    stdio_.restore_offsets();
    if (cgroup_.out_of_memory()) notes.emplace_back(kOutOfMemoryNote);
    bool clean = placeholders_.remove();
    clean = masks_.remove() && clean;
    if (std::string left = confinement_->clean_up(); !left.empty()) notes.push_back(std::move(left));
    clean = cgroup_.remove() && clean;
    // The janitor may succeed where this process failed: it has descriptors and memory of its own.
    if (!clean) janitor_.clean_up_now();
    janitor_.stop();
    return used;
  }

 private:
  // The guard cannot tell which command of a session created a name, so each command's events get the breach.
  class EventBroadcast final : public SandboxEvents {
   public:
    explicit EventBroadcast(LinuxSandbox& sandbox) : sandbox_(sandbox) {}
    void command_ended(const CommandExit&) override {}
    void command_stopped() override {}
    void sandbox_gone(std::string) override {}
    void denied(Denial denial) override { sandbox_.events_->denied(std::move(denial)); }
    void breached(Denial denial, std::string note) override {
      for (SandboxEvents* each : sandbox_.listeners_.receivers()) each->breached(denial, note);
    }

   private:
    LinuxSandbox& sandbox_;
  };

  void close_channels() {
    trapped_calls_ = listeners_.served();
    listeners_.release_all();
    channel_ = InitChannel();
    spare_ = InitChannel();
    pidfd_.reset();
    lowered_.reset();
  }

  Result<std::unique_ptr<LoweredPlan>> lower_again(const Plan& plan) {
    PF_TRY(landlock, probe_landlock());
    return confinement_->lower(plan, landlock, SharedMemory::kAllowed);
  }

  Result<void> widen(const Grant& grant, const std::shared_ptr<const Plan>& wider) {
    PF_TRY(lowered, lower_again(*wider));
    PF_CHECK(guard_->widen(*wider, grant.resource));
    PF_CHECK(live_mounts_.show(grant, *lowered, widened_plan_ ? *widened_plan_ : plan_));
    use_plan(wider);
    return {};
  }

  void use_plan(const std::shared_ptr<const Plan>& plan) {
    if (observer_) observer_->set_plan(*plan);
    widened_plan_ = plan;
  }

  Result<SandboxNamespaces> namespaces() {
    RequestMessage message{};
    message.kind = RequestKind::kNamespaces;
    PF_CHECK(channel_.request(message, nullptr, 0));
    PF_TRY(event, wait_for_reply(EventKind::kNamespaces), "taking the sandbox's namespaces");
    if (event.value != 0 || !channel_.user.is_open() || !channel_.mounts.is_open())
      return tl::unexpected<Error>(sys::os_error("open", "/proc/self/ns", static_cast<int>(event.value)));
    return SandboxNamespaces{std::move(channel_.user), std::move(channel_.mounts)};
  }

  // Other events that arrive before this reply are kept for handle_deferred().
  Result<EventMessage> wait_for_reply(EventKind wanted) {
    for (;;) {
      PF_TRY(event, channel_.receive());
      if (event.kind == wanted) return event;
      if (event.kind == EventKind::kFailed) {
        // No command is being started: init itself has failed, and its end is all that later requests would see.
        setup_error_ = take_failure(event, {});
        return tl::unexpected<Error>(*setup_error_);
      }
      deferred_.push_back(event);
      if (loop_ != nullptr) loop_->after(std::chrono::milliseconds(0), [this] { handle_deferred(); });
    }
  }

  bool polls_memory() const {
    auto limits = limits_of(plan_);
    return !cgroup_.holds(LimitKind::kMemory) && std::any_of(limits.begin(), limits.end(), [](const LimitStep& each) {
      return each.kind == LimitKind::kMemory;
    });
  }

  static std::chrono::microseconds micros(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  }

  // The janitor starts before the files that it must remove if the supervisor is killed.
  Result<void> start_guards() {
    guard_->protect = [this](const std::string& path, const Origin& origin) {
      return confinement_->protect(path, origin) ? Result<void>{} : live_mounts_.freeze(path);
    };
    guard_->on_new_repository = [this] { static_cast<void>(start_janitor()); };
    if (!placeholders_.is_needed() && !masks_.is_needed() && !confinement_->needs_clean_up() && !cleans_always())
      return {};
    PF_CHECK(start_janitor());
    PF_CHECK(masks_.hold());
    return placeholders_.make();
  }

  bool cleans_always() const {
    return std::any_of(plan_.steps.begin(), plan_.steps.end(), [](const Step& step) {
      const auto* clean = std::get_if<CleanGit>(&step.body);
      return clean != nullptr && clean->always;
    });
  }

  // Starts a new janitor when there is more to clean up than the running one has descriptors for.
  Result<void> start_janitor() {
    std::vector<int> keep = placeholders_.descriptors();
    if (guard_)
      for (int fd : guard_->descriptors()) keep.push_back(fd);
    PF_TRY(janitor, Janitor::start(pidfd_.is_open() ? pidfd_.raw() : -1, std::move(keep), [this] {
             if (guard_) guard_->clean_up_alone();
             placeholders_.remove();
             masks_.remove();
             static_cast<void>(confinement_->clean_up());
             if (!cgroup_name_.empty()) Cgroup::remove_named(cgroup_name_);
           }));
    std::swap(janitor_, janitor);
    return {};
  }

  Result<void> begin() {
    PF_TRY(first, confinement_->start_init(*lowered_, cgroup_));
    channel_ = InitChannel(std::move(first.control));
    pidfd_ = std::move(first.pidfd);
    child_ = first.child;
    RequestMessage raise{};
    raise.kind = RequestKind::kConfine;
    return channel_.request(raise, nullptr, 0);
  }

  const std::vector<Coverage>& all_coverage() const override { return coverage_; }
  const LoweredPlan& lowered() const override { return *lowered_; }
  const Plan& plan() const override { return plan_; }
  const Environment* variables() const override { return environment(); }
  bool is_trapped() const override { return lowered_->traps && facts_.why_no_listener.empty(); }
  int landlock_abi() const override { return facts_.landlock_abi; }

  Result<InitChannel> open_channel() override {
    if (setup_error_) return tl::unexpected<Error>(*setup_error_);
    if (spare_.is_open()) return std::exchange(spare_, InitChannel());
    return new_channel();
  }

  // Forks the next command init ahead of time.
  void prefork_next() override {
    if (spare_.is_open() || setup_error_ || !channel_.is_open()) return;
    if (auto channel = new_channel()) spare_ = std::move(*channel);
  }

  Result<InitChannel> new_channel() {
    int ends[2];
    PF_TRY(made,
           sys::call("socketpair", "control",
                     [&] { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }),
           "opening a channel for a command");
    static_cast<void>(made);
    InitChannel ours(sys::Fd::adopt(ends[0]));
    const auto theirs = sys::Fd::adopt(ends[1]);
    RequestMessage message{};
    message.kind = RequestKind::kForkCommandInit;
    message.trap = is_trapped() ? 1 : 0;
    const int fd = theirs.raw();
    PF_CHECK(channel_.request(message, &fd, 1));
    return ours;
  }

  void add_listener(sys::Fd listener, SandboxEvents& events) override { listeners_.add(std::move(listener), events); }
  void detach_events(const SandboxEvents& events) override { listeners_.detach(events); }
  void drain(sys::Fd stream) override { keep_reading(std::move(stream)); }

  void drain_stream(int fd) {
    char buffer[16384];
    const ssize_t size = ::read(fd, buffer, sizeof buffer);
    if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) return;
    loop_->remove(fd);
    streams_.erase(fd);
  }

  void assess() { coverage_ = confinement_->assess(plan_, facts_, cgroup_); }

  const Environment* environment() const {
    return lowered_->environment ? &*lowered_->environment : find_step<Environment>(plan_);
  }

  Result<StartResult> request(RequestKind kind, const Launch& launch) {
    if (setup_error_) return tl::unexpected<Error>(*setup_error_);
    PF_CHECK(channel_.request(kind, launch, environment(), is_trapped()));
    confinement_->before_waiting();
    for (;;) {
      PF_TRY(event, channel_.receive(), "starting the command");
      if (event.kind == EventKind::kStarted || event.kind == EventKind::kRehearsed) {
        if (event.value != facts_.landlock_abi)
          return fail(ErrorKind::kSystem, "init reports another Landlock ABI than the kernel did");
        return StartResult{std::move(channel_.terminal)};
      }
      if (event.kind != EventKind::kFailed) continue;
      Error error = take_failure(event, launch);
      if (!setup_error_ && error.kind() == ErrorKind::kUnavailable) {
        // A process may have only one seccomp listener (EBUSY); only installing a filter shows that there is one.
        facts_.why_no_listener = "another supervisor already listens to this process's system calls";
        PF_CHECK(confinement_->publish(build_filter(lowered_->plain)));
        assess();
      }
      return tl::unexpected<Error>(std::move(error));
    }
  }

  Error take_failure(const EventMessage& event, const Launch& launch) {
    Error error = explain(event.failure, *lowered_, launch);
    if (ends_the_sandbox(event.failure.stage)) setup_error_ = error;
    return error;
  }

  void serve() {
    auto event = channel_.receive();
    if (!event) {
      loop_->remove(channel_.raw());
      events_->sandbox_gone(event.error().text());
      return;
    }
    handle_event(*event);
  }

  void handle_event(const EventMessage& event) {
    if (event.kind == EventKind::kEnded) {
      processes_ = static_cast<std::uint64_t>(std::max<std::int64_t>(event.extra, 1));
      events_->command_ended(CommandExit{static_cast<int>(event.value)});
    } else if (event.kind == EventKind::kStopped) {
      events_->command_stopped();
    }
  }

  // The events that arrived during wait_for_reply().
  void handle_deferred() {
    for (const EventMessage& event : std::exchange(deferred_, {})) handle_event(event);
  }

  const Plan& plan_;
  std::unique_ptr<Confinement> confinement_;
  std::unique_ptr<LoweredPlan> lowered_;
  Placeholders placeholders_;
  sys::MaskDirectories masks_;
  std::unique_ptr<Guard> guard_;
  LiveMounts live_mounts_{[this] { return namespaces(); },
                          [this] { return lower_again(widened_plan_ ? *widened_plan_ : plan_); }};
  PendingApprovals approvals_{live_mounts_};
  std::shared_ptr<const Plan> widened_plan_;  // the plan with the grants made during the run; null: no grant yet
  std::optional<Observer> observer_;
  CallListenerSet listeners_;
  std::uint64_t trapped_calls_ = 0;
  EventBroadcast broadcast_{*this};
  Cgroup cgroup_;
  std::string cgroup_name_;
  Janitor janitor_;
  ConfinementFacts facts_;
  std::optional<Error> setup_error_;  // init could not confine itself: every further request would fail as well
  std::vector<Coverage> coverage_;
  InitChannel channel_;
  StdioHandoff stdio_;
  TreeMeter meter_;
  InitChannel spare_;  // of the command init that waits for the next command
  sys::Fd pidfd_;
  std::map<int, sys::Fd> streams_;  // read, and the bytes are discarded
  std::vector<EventMessage> deferred_;
  pid_t child_ = -1;
  std::uint64_t processes_ = 0;
  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
};

}  // namespace

// By pidfd: in a program that uses the library, another thread may have reaped the child, and its pid may be reused.
void Confinement::end_processes(int, int pidfd, pid_t child) {
  if (::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0) == 0) return;
  if (errno != ESRCH) ::kill(child, SIGKILL);  // where a container refuses that call
}

Result<std::unique_ptr<Sandbox>> start_sandbox(const Plan& plan, std::unique_ptr<Confinement> confinement) {
  auto sandbox = std::make_unique<LinuxSandbox>(plan, std::move(confinement));
  PF_CHECK(sandbox->set_up());
  return sandbox;
}

}  // namespace pinfold::backend::on_linux
