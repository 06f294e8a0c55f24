// seatbelt.cc: one sandbox: its directories, profile, command and log.
// Invariant: commands start only through /usr/bin/sandbox-exec with the profile of this plan, which /usr/bin/true has
// run under first; the private TMPDIR is removed. Not here: the profile (sbpl.cc), starting and ending processes
// (launcher.cc).
#include "backend/darwin/seatbelt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/event.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include "backend/darwin/arguments.h"
#include "backend/darwin/coverage.h"
#include "backend/darwin/denials.h"
#include "backend/darwin/launcher.h"
#include "backend/darwin/sbpl.h"
#include "backend/darwin/sbpl_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::backend::darwin {
namespace {

using std::string;

constexpr const char* kLog = "/usr/bin/log";
constexpr const char* kTrue = "/usr/bin/true";
constexpr int kCommandNotRun = 71;  // sandbox-exec: the profile is in force, and denies the command
constexpr auto kPollInterval = std::chrono::milliseconds(200);

Result<int> wait_for(pid_t pid, rusage* used) {
  int status = 0;
  PF_TRY(got, sys::call("wait4", "", [&] { return ::wait4(pid, &status, 0, used); }));
  static_cast<void>(got);
  return status;
}

class SeatbeltSandbox final : public Sandbox {
 public:
  explicit SeatbeltSandbox(const Plan& plan)
      : plan_(plan),
        view_(plan_),
        tag_("pinfold" + sys::temporary_name().substr(9)),
        coverage_(seatbelt_coverage(plan)) {
    for (const Step& step : plan_.steps)
      if (const auto* network = std::get_if<Network>(&step.body)) network_ = network;
  }
  SeatbeltSandbox(const SeatbeltSandbox&) = delete;
  SeatbeltSandbox& operator=(const SeatbeltSandbox&) = delete;
  ~SeatbeltSandbox() override {
    kill();
    reap();
    end_log();
    remove_tmp();
  }

  const std::vector<Coverage>& coverage() const override { return coverage_; }
  bool usable() const override { return usable_; }
  bool wants_proxy() const override { return network_ != nullptr && network_->mode == NetworkMode::kDomains; }
  void use_proxy(std::uint16_t port, const std::vector<std::pair<string, string>>& variables) override {
    port_ = port;
    proxy_variables_ = variables;
  }

  // Tests whether this macOS accepts the profile. Only sandbox-exec can tell.
  Result<void> rehearse() override {
    if (rehearsed_) return {};
    PF_CHECK(make_run_directories());
    StartRequest probe;
    PF_TRY(argv, sandbox_argv({kTrue}, ""));
    probe.argv = std::move(argv);
    probe.environment = {"PATH=/usr/bin:/bin"};
    probe.directory = "/";
    const auto null = sys::Fd::adopt(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (int& fd : probe.fds) fd = null.raw();
    PF_TRY(pid, darwin::start(probe), "trying the profile");
    PF_TRY(status, wait_for(pid, nullptr), "trying the profile");
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != kCommandNotRun)) {
      usable_ = false;
      return fail(ErrorKind::kUnavailable, "this system's sandbox-exec refuses the profile",
                  "see docs/reference/macos.md, or decide with --on-unavailable");
    }
    rehearsed_ = true;
    return {};
  }

  Result<StartResult> start(const Launch& launch) override {
    PF_CHECK(rehearse());
    StartResult started;
    StartRequest wanted;
    for (int i = 0; i < 3; ++i) {
      wanted.fds[i] = launch.fds[i];
      wanted.on_terminal[i] = launch.stdio[i] == StdioKind::kTerminal;
      if (!wanted.on_terminal[i] || started.terminal.is_open()) continue;
      PF_TRY(master, open_terminal(launch, wanted.terminal), "making a terminal");
      started.terminal = std::move(master);
    }
    wanted.directory = launch.working_dir.empty() ? plan_.working_dir : launch.working_dir;
    const std::map<string, string> variables = environment(launch);
    for (const auto& [name, value] : variables) wanted.environment.push_back(name + "=" + value);
    std::vector<string> argv = launch.argv;
    const auto path = variables.find("PATH");
    PF_TRY(program, find_program(argv[0], path == variables.end() ? "" : path->second, wanted.directory));
    argv[0] = std::move(program);
    PF_TRY(whole, sandbox_argv(argv, wanted.terminal));
    wanted.argv = std::move(whole);
    wanted.limits = limits();
    start_log();
    PF_TRY(pid, darwin::start(wanted));
    pid_ = pid;
    exits_ = sys::Fd::adopt(::kqueue());
    struct kevent change {};
    EV_SET(&change, static_cast<std::uintptr_t>(pid_), EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, nullptr);
    // ESRCH: the process has exited already; poll_later() reaps it.
    if (!exits_.is_open() || (::kevent(exits_.raw(), &change, 1, nullptr, 0, nullptr) != 0 && errno != ESRCH))
      return tl::unexpected<Error>(sys::os_error("kevent", "the command", errno));
    exited_early_ = errno == ESRCH && ::kill(pid_, 0) != 0;
    return started;
  }

  void attach(sys::EventLoop& loop, SandboxEvents& events) override {
    loop_ = &loop;
    events_ = &events;
    static_cast<void>(loop.add(exits_.raw(), sys::EventLoop::Interest::kRead, [this] { ended(); }));
    if (log_.is_open())
      static_cast<void>(loop.add(log_.raw(), sys::EventLoop::Interest::kRead, [this] { read_log(); }));
    poll_later();
  }

  void signal(int number) override {
    if (pid_ > 0) ::kill(-pid_, number);
  }
  void terminate() override {
    if (pid_ <= 0) return;
    signal_tree(pid_, SIGTERM);
    signal_tree(pid_, SIGCONT);
  }
  void kill() override {
    if (leader() > 0) signal_tree(leader(), SIGKILL);
  }

  Usage finish(std::vector<string>& notes, std::vector<Denial>& denials) override {
    static_cast<void>(notes), static_cast<void>(denials);
    if (loop_ != nullptr) {
      loop_->remove(exits_.raw());
      if (log_.is_open()) {
        read_log();
        loop_->remove(log_.raw());
      }
      if (poll_timer_ != 0) loop_->cancel(poll_timer_);
    }
    kill();
    reap();
    end_log();
    Usage used;
    used.cpu = std::chrono::seconds(resources_.ru_utime.tv_sec + resources_.ru_stime.tv_sec) +
               std::chrono::microseconds(resources_.ru_utime.tv_usec + resources_.ru_stime.tv_usec);
    used.peak_memory = static_cast<std::uint64_t>(resources_.ru_maxrss);  // bytes here
    used.processes = 1;
    return used;
  }
  std::optional<TreeUsage> usage() override {
    if (pid_ <= 0) return std::nullopt;
    const ProcessTreeUsage now = measure_tree(pid_);
    return TreeUsage{now.memory, now.processes, std::chrono::milliseconds(now.cpu_ns / 1'000'000), false};
  }
  bool watches(LimitKind kind) const override { return kind == LimitKind::kMemory || kind == LimitKind::kCpuTime; }

 private:
  pid_t leader() const { return pid_ > 0 ? pid_ : group_; }

  template <typename Body>
  const Body* find() const {
    for (const Step& step : plan_.steps)
      if (const auto* body = std::get_if<Body>(&step.body)) return body;
    return nullptr;
  }

  // Makes TMPDIR and the private home directory.
  Result<void> make_run_directories() {
    const auto* tmp = find<PrivateTmp>();
    if (run_paths_.tmp.empty() && tmp != nullptr &&
        std::find(tmp->at.begin(), tmp->at.end(), "/tmp") != tmp->at.end()) {
      const char* base = ::getenv("TMPDIR");
      string name = (base != nullptr && base[0] == '/' ? string(base) : string("/tmp")) + "/pinfold-XXXXXX";
      if (::mkdtemp(name.data()) == nullptr) return tl::unexpected<Error>(sys::os_error("mkdtemp", name, errno));
      char whole[PATH_MAX];
      if (::realpath(name.c_str(), whole) == nullptr)
        return tl::unexpected<Error>(sys::os_error("realpath", name, errno));
      run_paths_.tmp = whole;
    }
    const ShowPath* home = private_home(plan_);
    if (home == nullptr) return {};
    PF_TRY(directory, sys::make_directory(home->host), "making the private home directory");
    for (const string& each : home->subdirectories)
      static_cast<void>(sys::make_directory(paths::join(home->host, each)));
    const string shown_home(paths::parent(home->at));
    for (const Step& step : plan_.steps)
      if (const auto* file = std::get_if<MakeFile>(&step.body))
        if (paths::parent(file->at) == shown_home)
          PF_CHECK(sys::publish_file(directory.raw(), string(paths::basename(file->at)), file->content, file->at));
    return {};
  }

  void remove_tmp() {
    std::error_code ignored;
    if (!run_paths_.tmp.empty()) std::filesystem::remove_all(run_paths_.tmp, ignored);
    run_paths_.tmp.clear();
  }

  Result<std::vector<string>> sandbox_argv(const std::vector<string>& command, const string& terminal) {
    run_paths_.terminal = terminal;
    return sandbox_arguments(make_profile(plan_, run_paths_, tag_, port_), command);
  }

  std::map<string, string> environment(const Launch& launch) const {
    std::map<string, string> out;
    if (const auto* given = find<Environment>())
      for (const Variable& each : given->variables) out[each.name] = each.value;
    for (const Variable& each : launch.variables) out[each.name] = each.value;
    if (!run_paths_.tmp.empty()) out["TMPDIR"] = run_paths_.tmp;
    if (const ShowPath* home = private_home(plan_)) {
      // HOME is another directory here: these variables lead programs to toolchains in the real home.
      const string old(paths::parent(home->at));
      for (const auto& [name, below] : {std::pair("RUSTUP_HOME", ".rustup"), std::pair("PYENV_ROOT", ".pyenv"),
                                        std::pair("NVM_DIR", ".nvm"), std::pair("VOLTA_HOME", ".volta")})
        if (const string at = paths::join(old, below); view_.look_up(at).state == plan::PathState::kReadOnly)
          out.try_emplace(name, at);
      out["HOME"] = out["CFFIXED_USER_HOME"] = home->host;
    }
    for (const auto& [name, value] : proxy_variables_) out[name] = value;
    return out;
  }

  std::vector<std::pair<int, rlimit>> limits() const {
    std::vector<std::pair<int, rlimit>> out = {{RLIMIT_CORE, {0, 0}}};
    for (const Step& step : plan_.steps)
      if (const auto* limit = std::get_if<LimitStep>(&step.body)) {
        if (limit->kind == LimitKind::kFileSize) out.push_back({RLIMIT_FSIZE, {limit->amount, limit->amount}});
        const std::uint64_t seconds = (limit->amount + 999) / 1000;
        if (limit->kind == LimitKind::kCpuTime) out.push_back({RLIMIT_CPU, {seconds, seconds + 1}});
      }
    return out;
  }

  static Result<sys::Fd> open_terminal(const Launch& launch, string& slave) {
    PF_TRY(master, sys::call_fd("posix_openpt", "", [] { return ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC); }));
    char name[128] = {};
    if (::grantpt(master.raw()) != 0 || ::unlockpt(master.raw()) != 0 ||
        ::ptsname_r(master.raw(), name, sizeof name) != 0)
      return tl::unexpected<Error>(sys::os_error("ptsname", "", errno));
    slave = name;
    const auto once = sys::Fd::adopt(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    ::tcsetattr(once.raw(), TCSANOW, &launch.terminal);
    ::ioctl(once.raw(), TIOCSWINSZ, &launch.terminal_size);
    return std::move(master);
  }

  void poll_later() {
    poll_timer_ = loop_->after(exited_early_ ? std::chrono::milliseconds(0) : kPollInterval, [this] {
      poll_timer_ = 0;
      if (exited_early_) return ended();
      int status = 0;
      if (pid_ > 0 && ::waitpid(pid_, &status, WUNTRACED | WNOHANG) == pid_) {
        if (WIFSTOPPED(status)) {
          events_->command_stopped();
        } else {
          group_ = std::exchange(pid_, -1);
          status_ = status;
          return events_->command_ended(CommandExit{status_});
        }
      }
      if (pid_ > 0) poll_later();
    });
  }
  void ended() {
    loop_->remove(exits_.raw());
    if (pid_ <= 0) return;
    reap();
    events_->command_ended(CommandExit{status_});
  }
  void reap() {
    if (pid_ <= 0) return;
    if (const auto status = wait_for(pid_, &resources_)) status_ = *status;
    group_ = std::exchange(pid_, -1);
  }

  // Outside the security boundary: without the log, denials come from the command's error text only.
  void start_log() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    auto reads = sys::Fd::adopt(ends[0]);
    const auto writes = sys::Fd::adopt(ends[1]);
    const auto null = sys::Fd::adopt(::open("/dev/null", O_RDWR | O_CLOEXEC));
    StartRequest log;
    log.argv = {kLog, "stream", "--style", "compact", "--predicate", log_predicate(tag_)};
    log.environment = {"PATH=/usr/bin:/bin"};
    log.directory = "/";
    log.fds[0] = log.fds[2] = null.raw();
    log.fds[1] = writes.raw();
    if (auto pid = darwin::start(log)) {
      log_pid_ = *pid;
      log_ = std::move(reads);
    }
  }
  void read_log() {
    char buffer[16384];
    for (;;) {
      const ssize_t size = ::read(log_.raw(), buffer, sizeof buffer);
      if (size <= 0) {
        if (size == 0 && loop_ != nullptr) loop_->remove(log_.raw());
        return;
      }
      log_text_.append(buffer, static_cast<std::size_t>(size));
      for (auto end = log_text_.find('\n'); end != string::npos; end = log_text_.find('\n')) {
        const string line = log_text_.substr(0, end);
        log_text_.erase(0, end + 1);
        if (auto denial = denial_from_log(line, view_); denial && events_ != nullptr)
          events_->denied(std::move(*denial));
      }
    }
  }
  void end_log() {
    if (log_pid_ <= 0) return;
    ::kill(log_pid_, SIGKILL);
    static_cast<void>(wait_for(log_pid_, nullptr));
    log_pid_ = -1;
  }

  const Plan plan_;
  const plan::PlanView view_;
  const string tag_;
  std::vector<Coverage> coverage_;
  const Network* network_ = nullptr;
  std::uint16_t port_ = 0;
  std::vector<std::pair<string, string>> proxy_variables_;
  RunPaths run_paths_;
  bool rehearsed_ = false;
  bool usable_ = true;
  bool exited_early_ = false;  // before kqueue watched it
  sys::EventLoop* loop_ = nullptr;
  SandboxEvents* events_ = nullptr;
  sys::EventLoop::TimerId poll_timer_ = 0;
  sys::Fd exits_;
  pid_t pid_ = -1;
  pid_t group_ = -1;
  int status_ = 0;
  rusage resources_{};
  sys::Fd log_;
  pid_t log_pid_ = -1;
  string log_text_;
};

class Seatbelt final : public Backend {
 public:
  std::string_view name() const override { return "seatbelt"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    if (::access(kSandboxExec, X_OK) != 0)
      return fail(ErrorKind::kUnavailable,
                  string(kSandboxExec) + " does not exist: this macOS has no Seatbelt for commands",
                  "see docs/reference/macos.md");
    return std::make_unique<SeatbeltSandbox>(plan);
  }
};

}  // namespace

std::unique_ptr<Backend> make_seatbelt_backend() { return std::make_unique<Seatbelt>(); }

}  // namespace pinfold::backend::darwin
