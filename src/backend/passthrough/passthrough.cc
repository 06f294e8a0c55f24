// passthrough.cc: runs the command with the caller's own rights.
// Invariant: enforces nothing and reports every step as not enforced; time limits and signals reach the command's
// process group.
// Not here: choosing it (cli, and only by --no-sandbox).
#include "backend/passthrough/passthrough.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/try.h"
#include "sys/call.h"
#include "sys/uninterrupted.h"

extern char** environ;

namespace pinfold::backend {
namespace {

class UnconfinedSandbox final : public Sandbox {
 public:
  explicit UnconfinedSandbox(const Plan& plan) {
    for (const Step& step : plan.steps) {
      std::string name = coverage_row(step);
      if (name.empty()) continue;
      auto found =
          std::find_if(coverage_.begin(), coverage_.end(), [&](const Coverage& row) { return row.step == name; });
      if (found == coverage_.end()) {
        coverage_.push_back(
            Coverage{name, step.need, Strength::kAbsent, "none", "--no-sandbox", "leave out --no-sandbox"});
        if (name == step_name::kWallTime || name == step_name::kOutputSize)
          coverage_.back() = Coverage{name,
                                      step.need,
                                      Strength::kPartial,
                                      "the command's process group is ended",
                                      "processes that left the group survive",
                                      "leave out --no-sandbox"};
      } else if (step.need == Need::kRequired) {
        found->need = Need::kRequired;
      }
    }
  }
  UnconfinedSandbox(const UnconfinedSandbox&) = delete;
  UnconfinedSandbox& operator=(const UnconfinedSandbox&) = delete;
  ~UnconfinedSandbox() override {
    kill();
    reap();
  }

  const std::vector<Coverage>& coverage() const override { return coverage_; }

  Result<StartResult> start(const Launch& launch) override {
    std::vector<char*> argv;
    for (const std::string& each : launch.argv) argv.push_back(const_cast<char*>(each.c_str()));
    argv.push_back(nullptr);
    for (StdioKind kind : launch.stdio) terminal_ = terminal_ || kind == StdioKind::kTerminal;
    int ends[2];
    PF_TRY(made, sys::call("pipe2", "exec", [&] { return ::pipe2(ends, O_CLOEXEC); }), "starting the command");
    static_cast<void>(made);
    auto error_reader = sys::Fd::adopt(ends[0]);
    auto error_writer = sys::Fd::adopt(ends[1]);
    PF_TRY(pid, sys::call("fork", "", [] { return ::fork(); }), "starting the command");
    if (pid == 0) {
      // On a terminal the command stays in the caller's process group: a background group gets SIGTTIN when it reads.
      if (!terminal_) ::setpgid(0, 0);
      for (int i = 0; i < 3; ++i)
        if (launch.stdio[i] == StdioKind::kPass && launch.fds[i] != i) ::dup2(launch.fds[i], i);
      sigset_t none;
      ::sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      ::execvpe(argv[0], argv.data(), environ);
      int error = errno;
      static_cast<void>(::write(error_writer.raw(), &error, sizeof error));
      ::_exit(127);
    }
    pid_ = pid;
    error_writer.reset();
    int error = 0;
    if (sys::uninterrupted([&] { return ::read(error_reader.raw(), &error, sizeof error); }) == sizeof error) {
      reap();
      std::string what = launch.argv[0] + ": " + sys::errno_text(error);
      return fail(error == ENOENT ? ErrorKind::kNotFound : ErrorKind::kRefused, what);
    }
    pidfd_ = sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!pidfd_.is_open()) return tl::unexpected<Error>(sys::os_error("pidfd_open", launch.argv[0], errno));
    return StartResult{};
  }

  void attach(sys::EventLoop& loop, SandboxEvents& events) override {
    loop_ = &loop;
    loop.add_or_report(
        pidfd_.raw(), sys::EventLoop::Interest::kRead,
        [this, &events] {
          loop_->remove(pidfd_.raw());
          reap();
          events.command_ended(CommandExit{status_});
        },
        [&events](const Error& why) { events.sandbox_gone(why.text()); });
  }

  void signal(int number) override {
    bool from_keyboard = number == SIGINT || number == SIGQUIT || number == SIGTSTP;
    if (terminal_ && from_keyboard) return;  // the terminal driver sent it to the whole group already
    send(number);
  }
  void terminate() override {
    send(SIGTERM);
    send(SIGCONT);
  }
  void kill() override { send(SIGKILL); }

  Usage finish(std::vector<std::string>&, std::vector<Denial>&) override {
    if (loop_ != nullptr && pidfd_.is_open()) loop_->remove(pidfd_.raw());
    kill();
    reap();
    Usage used;
    used.cpu = std::chrono::seconds(resources_.ru_utime.tv_sec + resources_.ru_stime.tv_sec) +
               std::chrono::microseconds(resources_.ru_utime.tv_usec + resources_.ru_stime.tv_usec);
    used.peak_memory = static_cast<std::uint64_t>(resources_.ru_maxrss) * 1024;
    used.processes = 1;
    return used;
  }
  std::optional<TreeUsage> usage() override { return std::nullopt; }
  bool watches(LimitKind) const override { return false; }

 private:
  void send(int number) {
    if (group_ > 0) ::kill(-group_, number);  // processes that the exited command left in its group
    if (pid_ <= 0) return;
    if (!terminal_) group_ = pid_;
    ::kill(terminal_ ? pid_ : -pid_, number);
  }
  void reap() {
    if (pid_ <= 0) return;
    while (::wait4(pid_, &status_, 0, &resources_) < 0 && errno == EINTR) {
    }
    if (!terminal_) group_ = pid_;
    pid_ = -1;
  }

  std::vector<Coverage> coverage_;
  sys::EventLoop* loop_ = nullptr;
  sys::Fd pidfd_;
  pid_t pid_ = -1;
  pid_t group_ = -1;
  int status_ = 0;
  rusage resources_{};
  bool terminal_ = false;
};

class Passthrough final : public Backend {
 public:
  std::string_view name() const override { return "passthrough"; }
  Result<std::unique_ptr<Sandbox>> prepare(const Plan& plan) override {
    return std::make_unique<UnconfinedSandbox>(plan);
  }
};

}  // namespace

std::unique_ptr<Backend> make_passthrough_backend() { return std::make_unique<Passthrough>(); }

}  // namespace pinfold::backend
