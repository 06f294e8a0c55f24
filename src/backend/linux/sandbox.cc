// sandbox.cc: hears from the first process how the walls stand, and talks to it from then on.
// Invariant: coverage is judged from what the first process reported, before any command is started; destruction kills
// and reaps. Not here: the walls (confinement.h, child/), streams and time-outs (supervisor).
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
#include "backend/linux/notify/listener_set.h"
#include "backend/linux/init/failure.h"
#include "backend/linux/protect/guard.h"
#include "backend/linux/protect/janitor.h"
#include "backend/linux/session_command.h"
#include "backend/linux/init/init_channel.h"
#include "backend/linux/observe/observer.h"
#include "backend/linux/protect/placeholder.h"
#include "backend/linux/grants/pending_approvals.h"
#include "backend/linux/seccomp/filter.h"
#include "backend/linux/lower/steps.h"
#include "backend/linux/init/stdio_handoff.h"
#include "backend/linux/limits/tree_usage.h"
#include "backend/linux/grants/live_mounts.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using child::Ask;
using child::Asked;
using child::Tell;
using child::Told;

std::vector<LimitStep> limits_of(const Plan& plan) {
  std::vector<LimitStep> limits;
  for (const Step& step : plan.steps)
    if (const auto* limit = std::get_if<LimitStep>(&step.body)) limits.push_back(*limit);
  return limits;
}

class LinuxSandbox final : public Sandbox, private CommandHost {
 public:
  LinuxSandbox(const Plan& plan, std::unique_ptr<Walls> walls)
      : plan_(plan), walls_(std::move(walls)), placeholders_(plan) {}
  LinuxSandbox(const LinuxSandbox&) = delete;
  LinuxSandbox& operator=(const LinuxSandbox&) = delete;
  ~LinuxSandbox() override {
    std::vector<std::string> notes;
    std::vector<Denial> denials;
    finish(notes, denials);
  }

  Result<void> raise() {
    PF_TRY(landlock, probe_landlock(), "asking for Landlock");
    facts_.why_no_landlock = landlock.why_absent;
    const auto limits = limits_of(plan_);
    if (Cgroup::is_wanted(limits, walls_->counting())) {
      cgroup_name_ = Cgroup::fresh_name();
      PF_CHECK(hire_janitor(), "");
      cgroup_ = Cgroup::create(limits, walls_->counting(), cgroup_name_);
    }
    auto shared_memory = counts_memory_by_hand() ? SharedMemory::kRefused : SharedMemory::kAllowed;
    PF_TRY(lowered, walls_->lower(plan_, landlock, shared_memory), "");
    lowered_ = std::move(lowered);
    cgroup_.relieve(*lowered_);
    PF_TRY(guard, Guard::create(plan_), "");
    guard_ = std::move(guard);
    PF_CHECK(hold_places(), "");
    facts_.landlock_abi = landlock.abi;
    facts_.private_network = lowered_->private_network;
    facts_.why_not_observed = lowered_->why_not_observed;
    facts_.asks = lowered_->asks;
    facts_.counting = walls_->counting();
    PF_CHECK(begin(), "");
    judge();
    return {};
  }

  const std::vector<Coverage>& coverage() const override { return coverage_; }

  Result<void> rehearse() override {
    Launch nothing;
    nothing.argv = {"/"};
    auto done = request(Ask::kRehearse, nothing);
    if (done) {
      line_.listener.reset();
      return {};
    }
    if (done.error().kind() != ErrorKind::kUnavailable || no_sandbox_)
      return tl::unexpected<Error>(std::move(done).error());
    return rehearse();
  }

  Result<Started> start(const Launch& wanted) override {
    PF_TRY(launch, handed_.take(wanted, plan_), "");
    return request(Ask::kRun, launch);
  }
  bool usable() const override { return !no_sandbox_; }

  Result<sys::Fd> open_socket(const InsideSocket& wanted) override {
    if (no_sandbox_) return tl::unexpected<Error>(*no_sandbox_);
    if (!lowered_->blueprint.network_by_name)  // it would be the host's
      return fail(ErrorKind::kSystem, "there is no network of the sandbox's own to open a socket in");
    Asked asked{};
    asked.ask = Ask::kOpenSocket;
    asked.socket.type = wanted.kind == SocketKind::kStream ? SOCK_STREAM : SOCK_DGRAM;
    asked.socket.family = wanted.address.family == Family::kV4 ? AF_INET : AF_INET6;
    std::copy(wanted.address.bytes.begin(), wanted.address.bytes.end(), asked.socket.address);
    asked.socket.port = wanted.port;
    PF_CHECK(line_.ask(asked, nullptr, 0), "");
    walls_->before_waiting();
    PF_TRY(told, hear_about(Tell::kSocket), "opening a socket inside");
    if (told.value == 0 && line_.socket.is_open()) return std::move(line_.socket);
    return tl::unexpected<Error>(sys::os_error("bind", "inside", static_cast<int>(told.value)));
  }

  bool wants_proxy() const override { return walls_->connector() != nullptr; }
  void use_proxy(std::uint16_t port, const std::vector<std::pair<std::string, std::string>>& variables) override {
    walls_->connector()->lead_to(port);
    auto& own = lowered_->environment;
    if (!own) own = environment() != nullptr ? *environment() : Environment{};
    for (const auto& added : variables) {
      std::erase_if(own->variables, [&](const Variable& each) { return each.name == added.first; });
      own->variables.push_back({added.first, added.second, {}});
    }
  }

  Result<std::unique_ptr<Sandbox>> open_room() override { return keep_command(*this); }

  void keep_reading(sys::Fd stream) override {
    const int fd = stream.raw();
    if (loop_ == nullptr || ::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) return;
    if (loop_->add(fd, sys::EventLoop::Interest::kRead, [this, fd] { drop_what_comes(fd); }))
      streams_[fd] = std::move(stream);
  }

  void attach(sys::EventLoop& loop, SandboxEvents& events) override {
    loop_ = &loop;
    events_ = &events;
    loop.add_or_report(
        line_.raw(), sys::EventLoop::Interest::kRead, [this] { serve(); },
        [this](const Error& why) { events_->sandbox_gone(why.text()); });
    guard_->attach(loop, everybody_, is_trapped() ? Guard::Seen::kAsked : Guard::Seen::kUnseen);
    std::vector<CallAnswerer*> chain;
    if (CallAnswerer* first = walls_->answerer()) chain.push_back(first);
    if (Connector* connector = walls_->connector()) {
      connector->attach(loop);
      chain.push_back(connector);
    }
    chain.push_back(guard_.get());
    if (is_trapped() && lowered_->observe != ObserveMode::kOff) {
      const Walls::Ways ways = walls_->ways(plan_);
      if (lowered_->asks) questions_.attach(loop);
      chain.push_back(&observer_.emplace(*ways.plan, ways.beyond, lowered_->asks ? &questions_ : nullptr));
    }
    desks_.open(loop, events, std::move(chain));
    if (line_.listener.is_open()) desks_.take(std::move(line_.listener), events);
  }

  Result<void> answer(std::uint64_t id, pinfold::Answer answer, const std::shared_ptr<const Plan>& wider) override {
    const Denial* asked = questions_.about(id);
    const bool widens = answer == pinfold::Answer::kSession || answer == pinfold::Answer::kAlways;
    if (asked != nullptr && widens && wider != nullptr && asked->grant) {
      if (auto widened = widen(*asked->grant, wider); !widened) {
        static_cast<void>(questions_.answer(id, pinfold::Answer::kDeny));
        return widened;
      }
    }
    return questions_.answer(id, answer);
  }

  Result<void> take_back(const Grant& grant, const std::shared_ptr<const Plan>& narrower) override {
    PF_TRY(left, widener_.hide(grant), "");
    judge_by(narrower);
    if (left == Widener::Left::kAsBefore) return {};
    return widener_.replaced(grant.resource);
  }

  void signal(int number) override { line_.tell(Ask::kSignal, number); }
  void terminate() override {
    line_.tell(Ask::kSignalAll, SIGTERM);
    line_.tell(Ask::kSignalAll, SIGCONT);
  }
  void kill() override {
    if (child_ > 0) walls_->end(line_.is_open() ? line_.raw() : -1, pidfd_.raw(), child_);
  }

  std::optional<TreeUsage> usage() override {
    auto used = line_.proc.is_open() ? meter_.read(line_.proc.raw(), walls_->tree()) : std::nullopt;
    if (used) used->out_of_memory = cgroup_.out_of_memory();
    return used;
  }
  bool watches(LimitKind kind) const override { return limit_is_watched(kind); }

  Usage finish(std::vector<std::string>& notes, std::vector<Denial>& denials) override {
    Usage used;
    if (loop_ != nullptr) {
      if (guard_) guard_->detach();
      if (Connector* connector = walls_->connector()) connector->close();
      questions_.close();
      desks_.close();
      loop_->remove(line_.raw());
      for (const auto& [fd, stream] : streams_) loop_->remove(fd);
      loop_ = nullptr;
    }
    if (child_ > 0) {
      kill();
      let_go();  // while everything inside dies
      walls_->hasten_end();
      rusage resources{};
      int status = 0;
      while (::wait4(child_, &status, __WALL, &resources) < 0 && errno == EINTR) {
      }
      if (WIFSIGNALED(status)) walls_->first_was_killed();
      if (WIFEXITED(status) && WEXITSTATUS(status) == child::kLeftSome)
        notes.emplace_back("/proc stopped listing processes: some of this run's may still be running");
      child_ = -1;
      used.cpu = micros(resources.ru_utime) + micros(resources.ru_stime);
      used.peak_memory = std::max(static_cast<std::uint64_t>(resources.ru_maxrss) * 1024, cgroup_.peak_memory());
      used.processes = processes_;
      used.trapped_calls = trapped_calls_;
      if (guard_) guard_->finish(notes, denials);
    }
    handed_.give_back();
    if (cgroup_.out_of_memory()) notes.emplace_back(kOutOfMemoryNote);
    bool clean = placeholders_.remove();
    if (std::string left = walls_->clean_up(); !left.empty()) notes.push_back(std::move(left));
    clean = cgroup_.remove() && clean;
    // A call that failed here may succeed there: the janitor has descriptors and memory of its own.
    if (!clean) janitor_.clean_up_now();
    janitor_.dismiss();
    return used;
  }

 private:
  // Nobody knows which command it was that made something appear.
  class Everybody final : public SandboxEvents {
   public:
    explicit Everybody(LinuxSandbox& sandbox) : sandbox_(sandbox) {}
    void command_ended(const Ended&) override {}
    void command_stopped() override {}
    void sandbox_gone(std::string) override {}
    void denied(Denial denial) override { sandbox_.events_->denied(std::move(denial)); }
    void breached(Denial denial, std::string note) override {
      for (SandboxEvents* each : sandbox_.desks_.told()) each->breached(denial, note);
    }

   private:
    LinuxSandbox& sandbox_;
  };

  void let_go() {
    trapped_calls_ = desks_.served();
    desks_.let_go();
    line_ = Line();
    spare_ = Line();
    pidfd_.reset();
    lowered_.reset();
  }

  Result<std::unique_ptr<Lowered>> lowered_again(const Plan& plan) {
    PF_TRY(landlock, probe_landlock(), "");
    return walls_->lower(plan, landlock, SharedMemory::kAllowed);
  }

  Result<void> widen(const Grant& grant, const std::shared_ptr<const Plan>& wider) {
    PF_TRY(lowered, lowered_again(*wider), "");
    PF_CHECK(guard_->widen(*wider, grant.resource), "");
    PF_CHECK(widener_.show(grant, *lowered, grown_ ? *grown_ : plan_), "");
    judge_by(wider);
    return {};
  }

  void judge_by(const std::shared_ptr<const Plan>& plan) {
    if (observer_) observer_->judge_by(*plan);
    grown_ = plan;
  }

  Result<SandboxNamespaces> namespaces() {
    Asked asked{};
    asked.ask = Ask::kNamespaces;
    PF_CHECK(line_.ask(asked, nullptr, 0), "");
    PF_TRY(told, hear_about(Tell::kNamespaces), "taking the sandbox's namespaces");
    if (told.value != 0 || !line_.user.is_open() || !line_.mounts.is_open())
      return tl::unexpected<Error>(sys::os_error("open", "/proc/self/ns", static_cast<int>(told.value)));
    return SandboxNamespaces{std::move(line_.user), std::move(line_.mounts)};
  }

  // What else is said meanwhile is heard later.
  Result<Told> hear_about(Tell wanted) {
    for (;;) {
      PF_TRY(told, line_.hear(), "");
      if (told.tell == wanted) return told;
      if (told.tell == Tell::kFailed) return tl::unexpected<Error>(take_failure(told, {}));
      unheard_.push_back(told);
      if (loop_ != nullptr) loop_->after(std::chrono::milliseconds(0), [this] { hear_the_rest(); });
    }
  }

  bool counts_memory_by_hand() const {
    auto limits = limits_of(plan_);
    return !cgroup_.holds(LimitKind::kMemory) && std::any_of(limits.begin(), limits.end(), [](const LimitStep& each) {
      return each.kind == LimitKind::kMemory;
    });
  }

  static std::chrono::microseconds micros(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  }

  // What must not outlive a killed supervisor is left to a janitor, who is there before it is.
  Result<void> hold_places() {
    guard_->protect = [this](const std::string& path, const Origin& origin) {
      return walls_->protect(path, origin) ? Result<void>{} : widener_.freeze(path);
    };
    guard_->saw_repository = [this] { static_cast<void>(hire_janitor()); };
    if (!placeholders_.is_needed() && !walls_->leaves_something()) return {};
    PF_CHECK(hire_janitor(), "");
    return placeholders_.make();
  }

  // Anew when there is more to clean than the last one knew of.
  Result<void> hire_janitor() {
    std::vector<int> keep = placeholders_.descriptors();
    if (guard_)
      for (int fd : guard_->descriptors()) keep.push_back(fd);
    PF_TRY(janitor,
           Janitor::hire(pidfd_.is_open() ? pidfd_.raw() : -1, std::move(keep),
                         [this] {
                           if (guard_) guard_->clean_up_alone();
                           placeholders_.remove();
                           static_cast<void>(walls_->clean_up());
                           if (!cgroup_name_.empty()) Cgroup::remove_named(cgroup_name_);
                         }),
           "");
    std::swap(janitor_, janitor);
    return {};
  }

  Result<void> begin() {
    PF_TRY(first, walls_->begin(*lowered_, cgroup_), "");
    line_ = Line(std::move(first.control));
    pidfd_ = std::move(first.pidfd);
    child_ = first.child;
    Asked raise{};
    raise.ask = Ask::kRaise;
    return line_.ask(raise, nullptr, 0);
  }

  const std::vector<Coverage>& all_coverage() const override { return coverage_; }
  const Lowered& walls() const override { return *lowered_; }
  const Plan& plan() const override { return plan_; }
  const Environment* variables() const override { return environment(); }
  bool is_trapped() const override { return lowered_->traps && facts_.why_no_listener.empty(); }
  int landlock_abi() const override { return facts_.landlock_abi; }

  Result<Line> open_line() override {
    if (no_sandbox_) return tl::unexpected<Error>(*no_sandbox_);
    if (spare_.is_open()) return std::exchange(spare_, Line());
    return new_line();
  }

  // Whoever keeps the next command is there before it is wanted.
  void expect_another() override {
    if (spare_.is_open() || no_sandbox_ || !line_.is_open()) return;
    if (auto line = new_line()) spare_ = std::move(*line);
  }

  Result<Line> new_line() {
    int ends[2];
    PF_TRY(made,
           sys::call("socketpair", "control",
                     [&] { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }),
           "making room for a command");
    static_cast<void>(made);
    Line ours(sys::Fd::adopt(ends[0]));
    const auto theirs = sys::Fd::adopt(ends[1]);
    Asked asked{};
    asked.ask = Ask::kKeep;
    asked.trap = is_trapped() ? 1 : 0;
    const int fd = theirs.raw();
    PF_CHECK(line_.ask(asked, &fd, 1), "");
    return ours;
  }

  void take_calls(sys::Fd listener, SandboxEvents& events) override { desks_.take(std::move(listener), events); }
  void leave(const SandboxEvents& events) override { desks_.leave(events); }
  void read_on(sys::Fd stream) override { keep_reading(std::move(stream)); }

  void drop_what_comes(int fd) {
    char buffer[16384];
    const ssize_t size = ::read(fd, buffer, sizeof buffer);
    if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) return;
    loop_->remove(fd);
    streams_.erase(fd);
  }

  void judge() { coverage_ = walls_->judge(plan_, facts_, cgroup_); }

  const Environment* environment() const {
    return lowered_->environment ? &*lowered_->environment : find_step<Environment>(plan_);
  }

  Result<Started> request(Ask what, const Launch& launch) {
    if (no_sandbox_) return tl::unexpected<Error>(*no_sandbox_);
    PF_CHECK(line_.ask(what, launch, environment(), is_trapped()), "");
    walls_->before_waiting();
    for (;;) {
      PF_TRY(told, line_.hear(), "starting the command");
      if (told.tell == Tell::kStarted || told.tell == Tell::kRehearsed) {
        if (told.value != facts_.landlock_abi) return fail(ErrorKind::kSystem, "Landlock did not come up as announced");
        return Started{std::move(line_.terminal)};
      }
      if (told.tell != Tell::kFailed) continue;
      Error error = take_failure(told, launch);
      if (!no_sandbox_ && error.kind() == ErrorKind::kUnavailable) {
        // Inside someone else's listener there can be no other: known only by trying.
        facts_.why_no_listener = "another supervisor already listens to this process's system calls";
        PF_CHECK(walls_->publish(build_filter(lowered_->plain)), "");
        judge();
      }
      return tl::unexpected<Error>(std::move(error));
    }
  }

  Error take_failure(const Told& told, const Launch& launch) {
    Error error = explain(told.failure, *lowered_, launch);
    if (ends_the_sandbox(told.failure.stage)) no_sandbox_ = error;
    return error;
  }

  void serve() {
    auto told = line_.hear();
    if (!told) {
      loop_->remove(line_.raw());
      events_->sandbox_gone(told.error().text());
      return;
    }
    act_on(*told);
  }

  void act_on(const Told& told) {
    if (told.tell == Tell::kEnded) {
      processes_ = static_cast<std::uint64_t>(std::max<std::int64_t>(told.extra, 1));
      events_->command_ended(Ended{static_cast<int>(told.value)});
    } else if (told.tell == Tell::kStopped) {
      events_->command_stopped();
    }
  }

  // What came while we waited for an answer.
  void hear_the_rest() {
    for (const Told& told : std::exchange(unheard_, {})) act_on(told);
  }

  const Plan& plan_;
  std::unique_ptr<Walls> walls_;
  std::unique_ptr<Lowered> lowered_;
  Placeholders placeholders_;
  std::unique_ptr<Guard> guard_;
  Widener widener_{[this] { return namespaces(); }, [this] { return lowered_again(grown_ ? *grown_ : plan_); }};
  Questions questions_{widener_};
  std::shared_ptr<const Plan> grown_;  // with what was granted since; null: nothing was
  std::optional<Observer> observer_;
  CallDesks desks_;
  std::uint64_t trapped_calls_ = 0;
  Everybody everybody_{*this};
  Cgroup cgroup_;
  std::string cgroup_name_;
  Janitor janitor_;
  WallFacts facts_;
  std::optional<Error> no_sandbox_;  // a wall failed: asking again is no use
  std::vector<Coverage> coverage_;
  Line line_;
  HandedStreams handed_;
  TreeMeter meter_;
  Line spare_;  // somebody inside listens there, and has nothing to do yet
  sys::Fd pidfd_;
  std::map<int, sys::Fd> streams_;  // read and dropped
  std::vector<Told> unheard_;
  pid_t child_ = -1;
  std::uint64_t processes_ = 0;
  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
};

}  // namespace

// By descriptor: in somebody else's process another thread may have reaped it, and its number be another's.
void Walls::end(int, int pidfd, pid_t child) {
  if (::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0) == 0) return;
  if (errno != ESRCH) ::kill(child, SIGKILL);  // where a container refuses that call
}

Result<std::unique_ptr<Sandbox>> raise_sandbox(const Plan& plan, std::unique_ptr<Walls> walls) {
  auto sandbox = std::make_unique<LinuxSandbox>(plan, std::move(walls));
  PF_CHECK(sandbox->raise(), "");
  return sandbox;
}

}  // namespace pinfold::backend::on_linux
