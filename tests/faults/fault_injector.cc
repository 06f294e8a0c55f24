// fault_injector.cc: runs a command under ptrace and makes one system call of one of its processes fail.
//   fault_injector --result FILE [--points FILE] [--fail ROLE:CALL:N:ERRNO]… [--deadline S] [--uid N] --program PATH…
//   -- COMMAND…
// Counts only the calls of processes that run one of the programs. `--points` writes one line for each such call.
// Invariant: when it ends, so has every process of the run; the ones that outlived the command by the deadline are
// named. Not here: which call fails how (tests/faults/run), roles (tracees.cc).
#include <elf.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "call_filter.h"
#include "tracees.h"

namespace faults {
namespace {

using Clock = std::chrono::steady_clock;

struct Fault {
  std::string role;
  int call = -1;
  unsigned occurrence = 0;
  int error = 0;  // 0: the process is killed in place of making the call
};

struct Options {
  std::string result;
  std::string points;
  std::vector<Fault> faults;
  int deadline = 30;
  uid_t uid = 0;
  std::vector<std::string> programs;
  char** command = nullptr;
};

struct CallName {
  const char* name;
  int number;
};
constexpr CallName kCalls[] = {
#include <call_names.inc>
};

std::string call_name(int number) {
  for (const CallName& each : kCalls)
    if (each.number == number) return each.name;
  return std::to_string(number);
}

int call_number(const std::string& name) {
  for (const CallName& each : kCalls)
    if (name == each.name) return each.number;
  return name.empty() || name[0] < '0' || name[0] > '9' ? -1 : std::atoi(name.c_str());
}

bool add_fault(const std::string& text, std::vector<Fault>& faults) {
  Fault fault;
  char role[256] = {};
  char name[64] = {};
  if (std::sscanf(text.c_str(), "%255[^:]:%63[^:]:%u:%d", role, name, &fault.occurrence, &fault.error) != 4)
    return false;
  fault.role = role;
  fault.call = call_number(name);
  faults.push_back(fault);
  return fault.call >= 0;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    if (flag == "--") {
      options.command = argv + i + 1;
      return !options.result.empty();
    }
    const char* value = argv[i + 1];
    if (flag == "--result") {
      options.result = value;
    } else if (flag == "--points") {
      options.points = value;
    } else if (flag == "--deadline") {
      options.deadline = std::atoi(value);
    } else if (flag == "--uid") {
      options.uid = static_cast<uid_t>(std::atoi(value));
    } else if (flag == "--program") {
      options.programs.emplace_back(value);
    } else if (flag != "--fail" || !add_fault(value, options.faults)) {
      return false;
    }
  }
  return false;
}

// Puts a result where the kernel takes it from; `skip`: the call itself is not made.
#if defined(__x86_64__)
bool set_outcome(pid_t pid, int error, bool skip) {
  user_regs_struct registers{};
  if (::ptrace(PTRACE_GETREGS, pid, nullptr, &registers) != 0) return false;
  if (skip) registers.orig_rax = ~0ULL;
  registers.rax = static_cast<unsigned long long>(-static_cast<long long>(error));
  return ::ptrace(PTRACE_SETREGS, pid, nullptr, &registers) == 0;
}
#elif defined(__aarch64__)
bool set_outcome(pid_t pid, int error, bool skip) {
  user_regs_struct registers{};
  iovec all{&registers, sizeof registers};
  if (::ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all) != 0) return false;
  registers.regs[0] = static_cast<unsigned long long>(-static_cast<long long>(error));
  if (::ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &all) != 0) return false;
  int none = -1;
  iovec number{&none, sizeof none};
  return !skip || ::ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &number) == 0;
}
#endif

constexpr long kOptions = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
                          PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;

class Run {
 public:
  explicit Run(const Options& options)
      : options_(options),
        tracees_(options.programs),
        deadline_(Clock::now() + std::chrono::seconds(options.deadline)) {
    if (!options.points.empty()) points_ = std::fopen(options.points.c_str(), "we");
  }

  bool start() {
    first_ = ::fork();
    if (first_ < 0) return false;
    if (first_ == 0) become_command();
    int status = 0;
    if (::waitpid(first_, &status, WUNTRACED) != first_ || !WIFSTOPPED(status)) return false;
    if (::ptrace(PTRACE_SEIZE, first_, nullptr, kOptions) != 0) return false;
    tracees_.first(first_);
    return ::kill(first_, SIGCONT) == 0;
  }

  void watch() {
    while (!tracees_.empty() || !early_.empty()) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, __WALL);
      if (pid > 0) handle(pid, status);
      if (pid < 0 && errno == ECHILD) return;
      if (Clock::now() > deadline_ && !overdue_) give_up();
    }
  }

  bool write_result() const {
    FILE* file = std::fopen(options_.result.c_str(), "we");
    if (file == nullptr) return false;
    std::fprintf(file, "exit %d\nsignal %d\npid %d\ninjected %d\nhang %d\nsurvivors %s\ncall %s\n", exit_, signal_,
                 first_, injected_ ? 1 : 0, hang_ ? 1 : 0, survivors_.c_str(), call_.c_str());
    return std::fclose(file) == 0;
  }

 private:
  [[noreturn]] void become_command() const {
    ::personality(ADDR_NO_RANDOMIZE);  // addresses tell call sites apart
    ::raise(SIGSTOP);
    if (!install_call_filter()) ::_exit(99);
    if (options_.uid != 0 && (::setresgid(options_.uid, options_.uid, options_.uid) != 0 ||
                              ::setresuid(options_.uid, options_.uid, options_.uid) != 0))
      ::_exit(99);
    ::execvp(options_.command[0], options_.command);
    ::_exit(99);
  }

  void give_up() {
    overdue_ = true;
    hang_ = !ended_;
    survivors_ = tracees_.names();
    tracees_.kill_all();
    for (const pid_t pid : early_) ::kill(pid, SIGKILL);
  }

  void handle(pid_t pid, int status) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (pid == first_) {
        ended_ = true;
        exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        deadline_ = Clock::now() + std::chrono::seconds(options_.deadline);
      }
      tracees_.ended(pid);
      early_.erase(pid);
      return;
    }
    if (!WIFSTOPPED(status)) return;
    Tracee* tracee = tracees_.find(pid);
    if (tracee == nullptr) {
      early_.insert(pid);  // it goes on once its parent has reported it
      return;
    }
    stopped(pid, *tracee, WSTOPSIG(status), status >> 16);
  }

  void stopped(pid_t pid, Tracee& tracee, int signal, int event) {
    switch (event) {
      case PTRACE_EVENT_CLONE:
      case PTRACE_EVENT_FORK:
      case PTRACE_EVENT_VFORK: {
        unsigned long child = 0;
        ::ptrace(PTRACE_GETEVENTMSG, pid, nullptr, &child);
        const auto born = static_cast<pid_t>(child);
        tracees_.born(pid, born);
        if (early_.erase(born) > 0) go_on(born, PTRACE_CONT, 0);
        return go_on(pid, PTRACE_CONT, 0);
      }
      case PTRACE_EVENT_EXEC: tracees_.executed(pid); return go_on(pid, PTRACE_CONT, 0);
      case PTRACE_EVENT_SECCOMP: return called(pid, tracee);
      case PTRACE_EVENT_STOP: return go_on(pid, is_stop(signal) ? PTRACE_LISTEN : PTRACE_CONT, 0);
      default: break;
    }
    if (signal == (SIGTRAP | 0x80)) {
      if (tracee.error != 0) set_outcome(pid, std::exchange(tracee.error, 0), false);
      return go_on(pid, PTRACE_CONT, 0);
    }
    go_on(pid, PTRACE_CONT, signal);
  }

  static bool is_stop(int signal) {
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
  }

  void called(pid_t pid, Tracee& tracee) {
    if (!tracee.counted) return go_on(pid, PTRACE_CONT, 0);
    __ptrace_syscall_info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) return go_on(pid, PTRACE_CONT, 0);
    const int number = static_cast<int>(info.seccomp.nr);
    const unsigned occurrence = ++tracee.calls[number];
    if (points_ != nullptr)
      std::fprintf(points_, "%s %s %u %08x %lx %lx %lx %s\n", tracee.role.c_str(), call_name(number).c_str(),
                   occurrence, call_site(pid, info.instruction_pointer, info.stack_pointer), info.seccomp.args[0],
                   info.seccomp.args[1], info.seccomp.args[2], process_name(pid).c_str());
    for (const Fault& fault : options_.faults) {
      if (number != fault.call || occurrence != fault.occurrence || tracee.role != fault.role) continue;
      if (fault.error != 0) return fail(pid, tracee, info, fault.error);
      ::kill(pid, SIGKILL);
      return;
    }
    go_on(pid, PTRACE_CONT, 0);
  }

  void fail(pid_t pid, Tracee& tracee, const __ptrace_syscall_info& info, int error) {
    const int number = static_cast<int>(info.seccomp.nr);
    injected_ = true;
    char text[160];
    std::snprintf(text, sizeof text, "%s(%lx, %lx, %lx)", call_name(number).c_str(), info.seccomp.args[0],
                  info.seccomp.args[1], info.seccomp.args[2]);
    call_ = text;
    if (number == SYS_close) {  // the kernel closes the descriptor also where it reports an error
      tracee.error = error;
      return go_on(pid, PTRACE_SYSCALL, 0);
    }
    set_outcome(pid, error, true);
    go_on(pid, PTRACE_CONT, 0);
  }

  static void go_on(pid_t pid, __ptrace_request how, int signal) {
    // For a tracee that has been killed, ptrace fails with ESRCH.
    static_cast<void>(::ptrace(how, pid, nullptr, static_cast<long>(signal)));
  }

  const Options& options_;
  Tracees tracees_;
  std::set<pid_t> early_;
  Clock::time_point deadline_;
  FILE* points_ = nullptr;
  pid_t first_ = -1;
  bool ended_ = false;
  bool overdue_ = false;
  bool injected_ = false;
  bool hang_ = false;
  int exit_ = -1;
  int signal_ = 0;
  std::string survivors_;
  std::string call_;
};

}  // namespace
}  // namespace faults

int main(int argc, char** argv) {
  faults::Options options;
  if (!faults::parse(argc, argv, options)) {
    std::fputs(
        "usage (as root): fault_injector --result FILE [--points FILE] [--fail ROLE:CALL:N:ERRNO] [--deadline S]\n"
        "                                [--uid N] --program PATH… -- COMMAND…\n",
        stderr);
    return 2;
  }
  // Wakes waitpid(), so that it looks at the deadline.
  struct sigaction wake {};
  wake.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &wake, nullptr);
  const itimerval every{{0, 200000}, {0, 200000}};
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  faults::Run run(options);
  if (!run.start()) {
    std::perror("fault_injector: cannot trace the command");
    return 1;
  }
  ::setitimer(ITIMER_REAL, &every, nullptr);
  run.watch();
  return run.write_result() ? 0 : 1;
}
