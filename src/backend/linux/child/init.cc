// init.cc: the first process, PID 1 where there is a pid namespace: reaps, starts commands when asked, passes signals
// on, opens sockets, and ends everything when the supervisor is gone. Invariant: no allocation; holds no capability, or
// where the network is granted by name, the one to bind low ports; its end is the end of every process in the sandbox:
// by the kernel's doing in a pid namespace, by its own without one. Not here: time-outs, limits, streams (supervisor).
#include "backend/linux/child/init.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "backend/linux/child/command.h"
#include "backend/linux/child/kernel.h"
#include "backend/linux/child/packet.h"
#include "backend/linux/child/prespawn.h"
#include "backend/linux/child/request.h"
#include "backend/linux/child/setup.h"
#include "backend/linux/child/sockets.h"
#include "backend/linux/child/tree.h"

namespace pinfold::backend::on_linux::child {
namespace {

struct Terminal {
  int master = -1;
  int slave = -1;
};

bool make_listener_way(int (&ends)[2], Failure& failure) noexcept {
  int low = -1;
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0) {
    // The command's own 0, 1 and 2 are in place by the time it writes here.
    low = std::exchange(ends[1], ::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
    ::close(low);
  }
  if (low >= 0 && ends[1] >= 0) return true;
  failure = Failure{Stage::kListener, errno, -1};
  return false;
}

// Who traces a command on purpose waits for its end; whoever has not done so after so long does not mean to.
constexpr int kTracersTurn = 50;  // milliseconds
constexpr int kTracersTurns = 20;

// The first process, and whoever keeps one command for it.
enum class Role { kFirst, kKeeper };

class PidOne {
 public:
  PidOne(Method method, int control, const int (&listeners)[2], const CommandFrame& frame, const Setup& setup,
         mode_t mask) noexcept
      : method_(method),
        control_(control),
        listeners_{listeners[0], listeners[1]},
        frame_(frame),
        landlock_abi_(setup.landlock_abi()),
        helpers_(setup.helpers()),
        ruleset_(setup.ruleset_for_commands()),
        umask_(mask) {}

  [[noreturn]] void serve() noexcept {
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    int children = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    // Opened while nothing of the user's has run. The supervisor gets it, too: it cannot look into /proc of an
    // unreadable process.
    proc_ = ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (children < 0 || proc_ < 0) {
      tell_failure(Failure{Stage::kRequest, errno, -1});
      end();
    }
    list_from(proc_);
    if (method_ == Method::kGiven) {  // whoever made the namespace may have had helpers in it
      open_loadavg();
      helpers_ = static_cast<int>(last_pid());
    }
    serve(children);
  }

 private:
  [[noreturn]] void serve(int children) noexcept {
    children_ = children;
    // The last: the command itself, whose end is told there also where somebody traces it and does not wait for it.
    pollfd waits[3] = {{control_, POLLIN, 0}, {children, POLLIN, 0}, {-1, POLLIN, 0}};
    for (int held_up = 0;;) {
      waits[2].fd = held_up == 0 ? command_fd_ : -1;
      waits[2].revents = 0;
      const int ready = ::poll(waits, 3, held_up == 0 ? -1 : kTracersTurn);
      if (ready < 0 && errno != EINTR) end();
      if (ready < 0) continue;  // the answers are those of an earlier round
      if (waits[1].revents != 0) {
        signalfd_siginfo info;
        while (::read(children, &info, sizeof info) > 0) {
        }
        reap();
      }
      if (command_ <= 0)
        held_up = 0;
      else if (waits[2].revents != 0 || held_up > 0)
        reap_or_free(held_up);
      if (waits[0].revents != 0) listen();
    }
  }

  void reap_or_free(int& held_up) noexcept {
    reap();
    if (command_ <= 0)
      held_up = 0;
    else if (++held_up > kTracersTurns)
      end_tracer_of(command_);
  }

  bool owns_pids() const noexcept { return method_ != Method::kRules && role_ == Role::kFirst; }

  [[noreturn]] void end() noexcept {
    const bool all = owns_pids() || end_everything_below(command_fd_);
    if (role_ == Role::kKeeper) tell_ended(Tell::kUsed, 0);
    ::_exit(all ? 0 : kLeftSome);
  }

  // One command gets a parent of its own, to which whatever it leaves behind comes back: so that it can be ended with
  // all that belongs to it, and nothing else. Should it end by itself, what it left is the first process's.
  void keep(int socket, int trap) noexcept {
    const pid_t pid = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (pid != 0) return;  // a failure closes the socket, which tells enough
    Failure failure{Stage::kNone, 0, -1};
    for (int fd : {control_, listeners_[0], listeners_[1], children_}) ::close(fd);
    control_ = socket;
    role_ = Role::kKeeper;
    command_ = -1;
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    const int children = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (children < 0 || ::setsid() < 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        !make_listener_way(listeners_, failure)) {
      tell_failure(failure.stage != Stage::kNone ? failure : Failure{Stage::kRequest, errno, -1});
      ::_exit(1);
    }
    if (loadavg_ < 0) open_loadavg();
    tell(Tell::kKept, 0);
    run_ahead(trap);
    serve(children);
  }

  void tell_ended(Tell what, int status) noexcept {
    Told told{};
    told.tell = what;
    told.value = status;
    told.extra = last_pid() - first_pid_;
    if (role_ == Role::kKeeper) {
      rusage used{};
      ::getrusage(RUSAGE_CHILDREN, &used);
      told.cpu =
          (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
      told.memory = used.ru_maxrss * 1024;
    }
    if (!send_packet(control_, &told, sizeof told, -1) && role_ == Role::kFirst) end();
  }

  // What a command leaves behind is not to be hung up on when we, who lead its session, end.
  void spare_what_is_left() noexcept {
    int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return;
    ::tcsetpgrp(terminal, ::getpid());
    ::close(terminal);
  }

  void signal_all(int number) noexcept {
    if (owns_pids())
      ::kill(-1, number);  // everyone but PID 1 itself
    else
      signal_everything_below(number);
  }

  void tell(Tell what, std::int64_t value) noexcept {
    Told told{};
    told.tell = what;
    told.value = value;
    if (!send_packet(control_, &told, sizeof told, -1)) end();
  }

  void tell_failure(const Failure& failure) noexcept {
    Told told{};
    told.tell = Tell::kFailed;
    told.failure = failure;
    if (!send_packet(control_, &told, sizeof told, -1)) end();
  }

  // Every wall stands, and the command runs behind them (or could).
  void tell_started(Tell what, pid_t pid, bool has_listener, int master) noexcept {
    Told told{};
    told.tell = what;
    told.value = landlock_abi_;
    told.extra = ::getpid();
    int fds[kMaxPacketFds];
    std::size_t count = 0;
    auto carry = [&](Carried which, int fd) noexcept {
      if (fd < 0) return;
      told.carried |= which;
      fds[count++] = fd;
    };
    int listener = has_listener ? take_listener() : -1;
    if (has_listener && listener < 0) {
      tell_failure(Failure{Stage::kListener, errno, -1});
      end();
    }
    carry(kCarriesProc, proc_);
    carry(kCarriesListener, listener);
    carry(kCarriesTerminal, master);
    if (what == Tell::kStarted) {
      command_ = pid;
      command_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    }
    if (!send_packet(control_, &told, sizeof told, fds, count)) end();
    if (listener >= 0) ::close(listener);
  }

  int take_listener() noexcept {
    char nothing = 0;
    int fds[kMaxPacketFds];
    std::size_t count = 0;
    return receive_packet(listeners_[0], &nothing, sizeof nothing, fds, count, MSG_DONTWAIT) > 0 && count == 1 ? fds[0]
                                                                                                               : -1;
  }

  // The last pid given out in this namespace: how many processes and threads there ever were, our own apart.
  std::int64_t last_pid() const noexcept {
    if (method_ == Method::kRules) return 0;
    char text[128] = {};
    ssize_t size = loadavg_ >= 0 ? ::pread(loadavg_, text, sizeof text - 1, 0) : -1;
    const char* last = size > 0 ? std::strrchr(text, ' ') : nullptr;
    std::int64_t pid = 0;
    while (last != nullptr && *++last >= '0' && *last <= '9') pid = pid * 10 + (*last - '0');
    return pid > 1 + helpers_ ? pid - 1 - helpers_ : 0;
  }

  void open_loadavg() noexcept { loadavg_ = ::openat(proc_, "loadavg", O_RDONLY | O_CLOEXEC); }  // for last_pid()

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
        if (command_fd_ >= 0) ::close(command_fd_);
        command_fd_ = -1;
        // Told to end, it is no matter of its own that it has: nothing of it stays.
        if (role_ == Role::kKeeper && is_ending_) end_everything_below(-1);
        tell_ended(Tell::kEnded, status);
        if (role_ == Role::kKeeper) {
          if (has_terminal_) spare_what_is_left();
          ::_exit(0);
        }
        if (ends_with_command_) end();  // and with us whatever the command left behind
      }
    }
  }

  void listen() noexcept {
    Request request;
    const Asked& asked = request.asked;
    ssize_t got = receive_packet(control_, &request.asked, sizeof request.asked, request.fds, request.count, 0);
    if (got < 0) tell_failure(Failure{Stage::kRequest, errno, -1});
    if (got <= 0) end();  // the supervisor is gone, and everything inside goes with us
    switch (asked.ask) {
      case Ask::kRaise: break;  // once, before this loop
      case Ask::kRun:
      case Ask::kRehearse: run(request); break;
      case Ask::kSignal:
        if (command_ > 0) ::kill(-command_, asked.value);
        break;
      case Ask::kSignalAll:
        is_ending_ = true;
        signal_all(asked.value);
        break;
      case Ask::kOpenSocket: hand_out_socket(asked.socket); break;
      case Ask::kNamespaces: hand_out_namespaces(); break;
      case Ask::kKeep:
        if (request.count == 1) keep(request.fds[0], asked.trap);
        for (std::size_t i = 0; i < request.count; ++i) ::close(request.fds[i]);
        break;
    }
  }

  void hand_out_socket(const SocketAddress& wanted) noexcept {
    Told told{};
    told.tell = Tell::kSocket;
    int socket = open_socket(wanted);
    if (socket < 0) told.value = errno;
    if (socket >= 0) told.carried = kCarriesSocket;
    if (!send_packet(control_, &told, sizeof told, socket)) end();
    if (socket >= 0) ::close(socket);
  }

  // Nobody outside could open them: this process is unreadable, even for who started it.
  void hand_out_namespaces() noexcept {
    Told told{};
    told.tell = Tell::kNamespaces;
    const int fds[] = {::openat(proc_, "self/ns/user", O_RDONLY | O_CLOEXEC),
                       ::openat(proc_, "self/ns/mnt", O_RDONLY | O_CLOEXEC)};
    const bool both = fds[0] >= 0 && fds[1] >= 0;
    if (both) told.carried = kCarriesUser | kCarriesMounts;
    if (!both) told.value = errno;
    if (!send_packet(control_, &told, sizeof told, fds, both ? 2 : 0)) end();
    for (int fd : fds)
      if (fd >= 0) ::close(fd);
  }

  bool open_terminal(const Asked& asked, Terminal& terminal) noexcept {
    terminal.master = ::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal.master < 0) return false;
    int unlock = 0;
    if (::ioctl(terminal.master, TIOCSPTLCK, &unlock) != 0) return false;
    terminal.slave = ::ioctl(terminal.master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal.slave < 0) return false;
    ::tcsetattr(terminal.slave, TCSANOW, &asked.terminal);
    ::ioctl(terminal.slave, TIOCSWINSZ, &asked.terminal_size);
    // Its own terminal has a name on the host, by which programs open it again.
    if (ruleset_ >= 0 && kernel::landlock_add_path(ruleset_, terminal.slave, frame_.terminal_rights) != 0) return false;
    return ::ioctl(terminal.slave, TIOCSCTTY, 0) == 0;
  }

  void run(Request& request) noexcept {
    CommandStart start = command_start(frame_, ruleset_, listeners_[1], umask_);
    const Asked& asked = request.asked;
    Terminal terminal;
    if (!request.lay_out(start)) {
      tell_failure(Failure{Stage::kRequest, errno, -1});
    } else if (asked.terminal_mask != 0 && !open_terminal(asked, terminal)) {
      tell_failure(Failure{Stage::kOpenTerminal, errno, -1});
    } else {
      request.hand_over(start, terminal.slave);
      has_terminal_ = terminal.slave >= 0;
      if (role_ == Role::kKeeper) first_pid_ = last_pid();
      const pid_t pid = start_command(start);
      if (pid < 0)
        tell_no_start(start);
      else
        tell_start(start, pid, terminal.master);
    }
    for (std::size_t i = 0; i < request.count; ++i) ::close(request.fds[i]);
    if (terminal.slave >= 0) ::close(terminal.slave);
    if (terminal.master >= 0) ::close(terminal.master);
    request.unmap();
  }

  void tell_no_start(const CommandStart& start) noexcept {
    if (start.has_listener) ::close(take_listener());
    tell_failure(start.failure);
  }

  void tell_start(const CommandStart& start, pid_t pid, int terminal) noexcept {
    if (start.asked->ask == Ask::kRehearse) {
      ::waitpid(pid, nullptr, 0);
      return tell_started(Tell::kRehearsed, pid, start.has_listener, -1);
    }
    ends_with_command_ = start.asked->value == 1;
    tell_started(Tell::kStarted, pid, start.has_listener, terminal);
    if (loadavg_ < 0) open_loadavg();
  }

  // The command's process is made, and confined, before anybody asks for it.
  void run_ahead(int trap) noexcept {
    if (ruleset_ >= 0) return;  // rules that are entered by each command may grow until then
    static Ready ready;         // this process's own: it keeps one command
    ready.start = command_start(frame_, ruleset_, listeners_[1], umask_);
    ready.control = control_;
    ready.trap = trap;
    ready.asker = this;
    ready.last_pid = [](const void* asker) noexcept { return static_cast<const PidOne*>(asker)->last_pid(); };
    const pid_t pid = wait_ready(ready);
    if (pid < 0) return;
    const bool has_failed = ready.start.failure.stage != Stage::kNone;
    if (ready.is_taken && !has_failed) {
      first_pid_ = ready.made - 1;  // the command's own is older than that
      tell_start(ready.start, pid, -1);
    } else {
      ::waitpid(pid, nullptr, 0);
      if (ready.is_taken)
        tell_no_start(ready.start);
      else if (ready.start.has_listener)
        ::close(take_listener());
    }
    ready.request.unmap();
  }

  Method method_;
  int control_;
  int listeners_[2];  // from the command, before its exec, to us
  const CommandFrame& frame_;
  int landlock_abi_;
  int helpers_;
  int ruleset_;  // that every command enters, or -1
  mode_t umask_;
  int proc_ = -1;
  int loadavg_ = -1;
  pid_t command_ = -1;
  int command_fd_ = -1;
  bool ends_with_command_ = false;
  Role role_ = Role::kFirst;
  bool is_ending_ = false;  // with all that belongs to it
  int children_ = -1;
  std::int64_t first_pid_ = 0;
  bool has_terminal_ = false;
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

void pid_one(const Beginning& beginning, Shared& shared) noexcept {
  // Asked for here, in a copy: the only way to read a umask is to change it, and the process that we come from has
  // other threads, perhaps, which make files.
  const mode_t mask = ::umask(0);
  // Inherited as ignored, it would make the kernel reap the command behind our back.
  ::signal(SIGCHLD, SIG_DFL);
  forget_arguments(beginning);
  Failure failure{Stage::kNone, 0, -1};
  int control = beginning.control;
  Setup setup(beginning, failure);
  int listeners[2];
  bool up = keep_only(control, failure) && make_listener_way(listeners, failure) && setup.begin();
  Asked asked{};
  int fds[kMaxPacketFds];
  std::size_t count = 0;
  __atomic_store_n(&shared.has_begun, true, __ATOMIC_RELEASE);
  const ssize_t got = receive_packet(control, &asked, sizeof asked, fds, count, 0);
  if (got == 0 || (got > 0 && asked.ask != Ask::kRaise)) ::_exit(0);
  if (got < 0 && up) {
    failure = Failure{Stage::kRequest, errno, -1};
    up = false;
  }
  if (shared.was_placed) ::sched_setaffinity(0, sizeof shared.processors, &shared.processors);
  up = up && lead_session(shared.blueprint, failure) && setup.raise(shared.blueprint);
  if (!up) {
    Told told{};
    told.tell = Tell::kFailed;
    told.failure = failure;
    send_packet(control, &told, sizeof told, -1);
    ::_exit(1);
  }
  PidOne(beginning.method, control, listeners, shared.frame, setup, mask).serve();
}

}  // namespace pinfold::backend::on_linux::child
