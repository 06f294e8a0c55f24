// init.cc: PID 1: reaps, starts commands when asked, passes signals on, and ends everything when the supervisor is
// gone. Invariant: no allocation; holds no capability; its end is the end of every process in the sandbox. Not here:
// time-outs, limits, streams (supervisor).
#include "backend/linux/child/init.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "backend/linux/child/command.h"
#include "backend/linux/child/packet.h"
#include "backend/linux/child/setup.h"

namespace pinfold::backend::linux_native::child {
namespace {

struct Terminal {
  int master = -1;
  int slave = -1;
};

class PidOne {
 public:
  PidOne(int control, const CommandFrame& frame, mode_t mask) noexcept
      : control_(control), frame_(frame), umask_(mask) {}

  [[noreturn]] void serve() noexcept {
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    int children = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (children < 0) ::_exit(1);
    pollfd waits[2] = {{control_, POLLIN, 0}, {children, POLLIN, 0}};
    for (;;) {
      if (::poll(waits, 2, -1) < 0 && errno != EINTR) ::_exit(1);
      if (waits[1].revents != 0) {
        signalfd_siginfo info;
        while (::read(children, &info, sizeof info) > 0) {
        }
        reap();
      }
      if (waits[0].revents != 0) listen();
    }
  }

 private:
  void tell(Tell what, std::int64_t value, std::int64_t extra = 0, int fd = -1) noexcept {
    Told told{};
    told.tell = what;
    told.value = value;
    told.extra = extra;
    if (!send_packet(control_, &told, sizeof told, fd)) ::_exit(1);
  }

  void tell_failure(const Failure& failure) noexcept {
    Told told{};
    told.tell = Tell::kFailed;
    told.failure = failure;
    if (!send_packet(control_, &told, sizeof told, -1)) ::_exit(1);
  }

  // The last pid given out in this namespace: how many processes and threads there ever were, PID 1 apart.
  static std::int64_t last_pid() noexcept {
    int fd = ::open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    char text[128] = {};
    ssize_t size = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    const char* last = size > 0 ? std::strrchr(text, ' ') : nullptr;
    std::int64_t pid = 0;
    while (last != nullptr && *++last >= '0' && *last <= '9') pid = pid * 10 + (*last - '0');
    return pid > 0 ? pid - 1 : 0;
  }

  void reap() noexcept {
    for (;;) {
      int status = 0;
      pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
      if (pid <= 0) return;
      if (pid != command_) continue;
      if (WIFSTOPPED(status)) {
        tell(Tell::kStopped, WSTOPSIG(status));
      } else {
        command_ = -1;
        tell(Tell::kEnded, status, last_pid());
      }
    }
  }

  void listen() noexcept {
    Asked asked{};
    int fds[kMaxPacketFds];
    std::size_t count = 0;
    ssize_t got = receive_packet(control_, &asked, sizeof asked, fds, count, 0);
    if (got <= 0) ::_exit(0);  // the supervisor is gone, and everything in this namespace goes with us
    switch (asked.ask) {
      case Ask::kRaise: break;  // once, before this loop
      case Ask::kRun:
      case Ask::kRehearse: run(asked, fds, count); break;
      case Ask::kSignal:
        if (command_ > 0) ::kill(-command_, asked.value);
        break;
      case Ask::kSignalAll: ::kill(-1, asked.value); break;  // everyone but PID 1 itself
    }
  }

  bool open_terminal(const Asked& asked, Terminal& terminal) noexcept {
    terminal.master = ::open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal.master < 0) return false;
    int unlock = 0;
    if (::ioctl(terminal.master, TIOCSPTLCK, &unlock) != 0) return false;
    terminal.slave = ::ioctl(terminal.master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal.slave < 0) return false;
    ::tcsetattr(terminal.slave, TCSANOW, &asked.terminal);
    ::ioctl(terminal.slave, TIOCSWINSZ, &asked.terminal_size);
    return ::ioctl(terminal.slave, TIOCSCTTY, 0) == 0;
  }

  void run(const Asked& asked, const int* fds, std::size_t count) noexcept {
    CommandStart start{};
    start.frame = &frame_;
    start.asked = &asked;
    start.control = control_;
    start.terminal = -1;
    start.umask = umask_;
    Terminal terminal;
    if (!take_arguments(fds, count, start)) {
      tell_failure(Failure{Stage::kRequest, errno, -1});
    } else if (asked.terminal_mask != 0 && !open_terminal(asked, terminal)) {
      tell_failure(Failure{Stage::kOpenTerminal, errno, -1});
    } else {
      std::size_t next = 1;
      for (int i = 0; i < 3; ++i)
        start.stdio[i] = (asked.terminal_mask & (1 << i)) != 0 ? terminal.slave : (next < count ? fds[next++] : -1);
      start.terminal = terminal.slave;
      pid_t pid = start_command(start);
      if (pid < 0) {
        tell_failure(start.failure);
      } else if (asked.ask == Ask::kRehearse) {
        ::waitpid(pid, nullptr, 0);
        tell(Tell::kRehearsed, 0);
      } else {
        command_ = pid;
        tell(Tell::kStarted, pid, 0, terminal.master);
      }
    }
    for (std::size_t i = 0; i < count; ++i) ::close(fds[i]);
    if (terminal.slave >= 0) ::close(terminal.slave);
    if (terminal.master >= 0) ::close(terminal.master);
    if (start.argv != nullptr) ::munmap(block_, block_size_);
  }

  // Maps the block privately and turns its offsets into pointers in place.
  bool take_arguments(const int* fds, std::size_t count, CommandStart& start) noexcept {
    struct stat info {};
    if (count < 1 || ::fstat(fds[0], &info) != 0) return false;
    block_size_ = static_cast<std::size_t>(info.st_size);
    block_ = ::mmap(nullptr, block_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
    if (block_ == MAP_FAILED) return false;
    auto* header = static_cast<ArgumentBlock*>(block_);
    auto* bytes = static_cast<char*>(block_);
    auto* slots = reinterpret_cast<std::uint64_t*>(header + 1);
    std::uint64_t total = 1 + header->argc + header->envc + 2;
    for (std::uint64_t i = 0; i < total; ++i)
      if (slots[i] != 0) slots[i] = reinterpret_cast<std::uint64_t>(bytes + slots[i]);
    start.argv = reinterpret_cast<char**>(slots + 1);
    start.environment = reinterpret_cast<char**>(slots + 1 + header->argc + 1);
    start.search_path = header->path != 0 ? bytes + header->path : nullptr;
    return true;
  }

  int control_;
  const CommandFrame& frame_;
  mode_t umask_;
  pid_t command_ = -1;
  void* block_ = nullptr;
  std::size_t block_size_ = 0;
};

// This copy of the supervisor holds whatever the supervisor held; above all its own end of the control socket, which
// must be seen to close.
bool keep_only(int control, Failure& failure) noexcept {
  auto above = static_cast<unsigned>(control) + 1;
  bool done = (control == 0 || ::syscall(SYS_close_range, 0U, above - 2, 0) == 0) &&
              ::syscall(SYS_close_range, above, ~0U, 0) == 0;
  if (!done) failure = Failure{Stage::kStdio, errno, -1};
  return done;
}

// /proc/1/cmdline is readable by everyone inside, and the supervisor's arguments may hold secrets (--env NAME=VALUE).
void forget_arguments(const Beginning& beginning) noexcept {
  constexpr char kName[] = "pinfold-init";
  if (beginning.arguments_size == 0) return;
  std::memset(beginning.arguments, 0, beginning.arguments_size);
  if (beginning.arguments_size >= sizeof kName) std::memcpy(beginning.arguments, kName, sizeof kName);
}

// PID 1 leads the session, so that the command's group is not an orphan and can be stopped with Ctrl-Z; the caller's
// terminal is out of reach.
bool lead_session(const Blueprint& blueprint, Failure& failure) noexcept {
  if (!blueprint.new_session || ::setsid() >= 0) return true;
  failure = Failure{Stage::kStdio, errno, -1};
  return false;
}

}  // namespace

void pid_one(const Beginning& beginning, const Shared& shared) noexcept {
  // Asked for here, in a copy: the only way to read a umask is to change it, and the process that we come from has
  // other threads, perhaps, which make files.
  const mode_t mask = ::umask(0);
  // Inherited as ignored, it would make the kernel reap the command behind our back.
  ::signal(SIGCHLD, SIG_DFL);
  forget_arguments(beginning);
  Failure failure{Stage::kNone, 0, -1};
  int control = beginning.control;
  Setup setup(beginning, failure);
  bool up = keep_only(control, failure) && setup.begin();
  Asked asked{};
  int fds[kMaxPacketFds];
  std::size_t count = 0;
  if (receive_packet(control, &asked, sizeof asked, fds, count, 0) <= 0 || asked.ask != Ask::kRaise) ::_exit(0);
  up = up && lead_session(shared.blueprint, failure) && setup.raise(shared.blueprint);
  Told told{};
  told.tell = up ? Tell::kReady : Tell::kFailed;
  told.failure = failure;
  told.value = setup.landlock_abi();
  // The supervisor cannot look into /proc of an unreadable process: it gets its own handle on the sandbox's /proc.
  int proc = up ? ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (!send_packet(control, &told, sizeof told, proc) || !up) ::_exit(1);
  if (proc >= 0) ::close(proc);
  PidOne(control, shared.frame, mask).serve();
}

}  // namespace pinfold::backend::linux_native::child
