// init.cc: the init process, PID 1 where there is a pid namespace: reaps, starts commands on request, forwards signals,
// opens sockets, and ends all processes when the supervisor has exited.
// Invariant: no allocation; holds no capability, except CAP_NET_BIND_SERVICE where the network is granted by name; when
// it exits, every process in the sandbox ends: by the kernel in a pid namespace, otherwise init kills them first.
// Not here: time-outs, limits, streams (supervisor).
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

bool make_listener_socket(int (&ends)[2], Failure& failure) noexcept {
  int low = -1;
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0) {
    // The command's own 0, 1 and 2 are in place when it writes here.
    low = std::exchange(ends[1], ::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
    ::close(low);
  }
  if (low >= 0 && ends[1] >= 0) return true;
  failure = Failure{Stage::kListener, errno, -1};
  return false;
}

// A debugger waits for its tracee's end. Init kills a tracer that has not waited after 20 polls of 50 ms.
constexpr int kTracerPoll = 50;  // milliseconds
constexpr int kTracerPolls = 20;

// PID 1, or the parent of one command in a session: a command init.
enum class Role { kInit, kCommandInit };

class InitServer {
 public:
  InitServer(ConfinementMethod method, int control, const int (&listeners)[2], const CommandFrame& frame,
             const Setup& setup, mode_t mask) noexcept
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
    int child_events = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    // Opened before any command runs. The supervisor gets a copy: it may not read /proc of an undumpable process.
    proc_ = ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (child_events < 0 || proc_ < 0) {
      send_failure(Failure{Stage::kRequest, errno, -1});
      end();
    }
    set_proc_directory(proc_);
    if (method_ == ConfinementMethod::kBubblewrap) {  // bubblewrap's own processes got pids in this namespace, too
      open_loadavg();
      helpers_ = static_cast<int>(last_pid());
    }
    serve(child_events);
  }

 private:
  [[noreturn]] void serve(int child_events) noexcept {
    child_events_ = child_events;
    // The last: the command itself. Its pidfd becomes readable also when a tracer holds its exit status.
    pollfd waits[3] = {{control_, POLLIN, 0}, {child_events, POLLIN, 0}, {-1, POLLIN, 0}};
    for (int tracer_polls = 0;;) {
      waits[2].fd = tracer_polls == 0 ? command_fd_ : -1;
      waits[2].revents = 0;
      const int ready = ::poll(waits, 3, tracer_polls == 0 ? -1 : kTracerPoll);
      if (ready < 0 && errno != EINTR) end();
      if (ready < 0) continue;  // poll() failed: revents are those of the previous call
      if (waits[1].revents != 0) {
        signalfd_siginfo info;
        while (::read(child_events, &info, sizeof info) > 0) {
        }
        reap();
      }
      if (command_ <= 0)
        tracer_polls = 0;
      else if (waits[2].revents != 0 || tracer_polls > 0)
        reap_or_kill_tracer(tracer_polls);
      if (waits[0].revents != 0) handle_request();
    }
  }

  void reap_or_kill_tracer(int& tracer_polls) noexcept {
    reap();
    if (command_ <= 0)
      tracer_polls = 0;
    else if (++tracer_polls > kTracerPolls)
      kill_tracer_of(command_);
  }

  bool owns_pids() const noexcept { return method_ != ConfinementMethod::kLandlockOnly && role_ == Role::kInit; }

  [[noreturn]] void end() noexcept {
    const bool all = owns_pids() || kill_descendants(command_fd_);
    if (role_ == Role::kCommandInit) send_ended(EventKind::kUsage, 0);
    ::_exit(all ? 0 : kProcessesLeft);
  }

  // Forks a command init: a parent for one command, and a subreaper, so that it inherits every process that the command
  // leaves behind and can end exactly those. If the command exits by itself, its remaining processes become children of
  // init.
  void fork_command_init(int socket, int trap) noexcept {
    const pid_t pid = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (pid != 0) return;  // on failure the socket closes: the supervisor sees its end
    Failure failure{Stage::kNone, 0, -1};
    for (int fd : {control_, listeners_[0], listeners_[1], child_events_}) ::close(fd);
    control_ = socket;
    role_ = Role::kCommandInit;
    command_ = -1;
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    const int child_events = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (child_events < 0 || ::setsid() < 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        !make_listener_socket(listeners_, failure)) {
      send_failure(failure.stage != Stage::kNone ? failure : Failure{Stage::kRequest, errno, -1});
      ::_exit(1);
    }
    if (loadavg_ < 0) open_loadavg();
    send_event(EventKind::kCommandInitReady, 0);
    prespawn(trap);
    serve(child_events);
  }

  void send_ended(EventKind what, int status) noexcept {
    EventMessage event{};
    event.kind = what;
    event.value = status;
    event.extra = last_pid() - first_pid_;
    if (role_ == Role::kCommandInit) {
      rusage used{};
      ::getrusage(RUSAGE_CHILDREN, &used);
      event.cpu =
          (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
      event.memory = used.ru_maxrss * 1024;
    }
    if (!send_packet(control_, &event, sizeof event, -1) && role_ == Role::kInit) end();
  }

  // Processes that the command leaves behind must not get SIGHUP when this session leader exits: the kernel sends it to
  // the terminal's foreground group.
  void take_foreground() noexcept {
    int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return;
    ::tcsetpgrp(terminal, ::getpid());
    ::close(terminal);
  }

  void signal_all(int number) noexcept {
    if (owns_pids())
      ::kill(-1, number);  // every process but PID 1 itself
    else
      signal_descendants(number);
  }

  void send_event(EventKind what, std::int64_t value) noexcept {
    EventMessage event{};
    event.kind = what;
    event.value = value;
    if (!send_packet(control_, &event, sizeof event, -1)) end();
  }

  void send_failure(const Failure& failure) noexcept {
    EventMessage event{};
    event.kind = EventKind::kFailed;
    event.failure = failure;
    if (!send_packet(control_, &event, sizeof event, -1)) end();
  }

  // The sandbox is confined, and the command runs (or could run) in it.
  void send_started(EventKind what, pid_t pid, bool has_listener, int master) noexcept {
    EventMessage event{};
    event.kind = what;
    event.value = landlock_abi_;
    event.extra = ::getpid();
    int fds[kMaxPacketFds];
    std::size_t count = 0;
    auto attach = [&](EventDescriptor which, int fd) noexcept {
      if (fd < 0) return;
      event.descriptors |= which;
      fds[count++] = fd;
    };
    int listener = has_listener ? take_listener() : -1;
    if (has_listener && listener < 0) {
      send_failure(Failure{Stage::kListener, errno, -1});
      end();
    }
    attach(kCarriesProc, proc_);
    attach(kCarriesListener, listener);
    attach(kCarriesTerminal, master);
    if (what == EventKind::kStarted) {
      command_ = pid;
      command_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    }
    if (!send_packet(control_, &event, sizeof event, fds, count)) end();
    if (listener >= 0) ::close(listener);
  }

  int take_listener() noexcept {
    char byte = 0;
    int fds[kMaxPacketFds];
    std::size_t count = 0;
    return receive_packet(listeners_[0], &byte, sizeof byte, fds, count, MSG_DONTWAIT) > 0 && count == 1 ? fds[0] : -1;
  }

  // The last pid given out in this namespace: the number of processes and threads ever started, without init and its
  // helpers.
  std::int64_t last_pid() const noexcept {
    if (method_ == ConfinementMethod::kLandlockOnly) return 0;
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
        send_event(EventKind::kStopped, WSTOPSIG(status));
      } else {
        command_ = -1;
        if (command_fd_ >= 0) ::close(command_fd_);
        command_fd_ = -1;
        // Ended on request: nothing of its tree stays.
        if (role_ == Role::kCommandInit && is_ending_) kill_descendants(-1);
        send_ended(EventKind::kEnded, status);
        if (role_ == Role::kCommandInit) {
          if (has_terminal_) take_foreground();
          ::_exit(0);
        }
        if (ends_with_command_) end();  // ends every process that the command left behind, too
      }
    }
  }

  void handle_request() noexcept {
    Request request;
    const RequestMessage& message = request.message;
    ssize_t got = receive_packet(control_, &request.message, sizeof request.message, request.fds, request.count, 0);
    if (got < 0) send_failure(Failure{Stage::kRequest, errno, -1});
    if (got <= 0) end();  // the supervisor has exited: end all processes
    switch (message.kind) {
      case RequestKind::kConfine: break;  // handled once, before this loop
      case RequestKind::kRun:
      case RequestKind::kRehearse: run(request); break;
      case RequestKind::kSignal:
        if (command_ > 0) ::kill(-command_, message.value);
        break;
      case RequestKind::kSignalAll:
        is_ending_ = true;
        signal_all(message.value);
        break;
      case RequestKind::kOpenSocket: send_socket(message.socket); break;
      case RequestKind::kNamespaces: send_namespaces(); break;
      case RequestKind::kForkCommandInit:
        if (request.count == 1) fork_command_init(request.fds[0], message.trap);
        for (std::size_t i = 0; i < request.count; ++i) ::close(request.fds[i]);
        break;
    }
  }

  void send_socket(const SocketAddress& address) noexcept {
    EventMessage event{};
    event.kind = EventKind::kSocket;
    int socket = open_socket(address);
    if (socket < 0) event.value = errno;
    if (socket >= 0) event.descriptors = kCarriesSocket;
    if (!send_packet(control_, &event, sizeof event, socket)) end();
    if (socket >= 0) ::close(socket);
  }

  // No process outside can open them: init is undumpable, also for its owner.
  void send_namespaces() noexcept {
    EventMessage event{};
    event.kind = EventKind::kNamespaces;
    const int fds[] = {::openat(proc_, "self/ns/user", O_RDONLY | O_CLOEXEC),
                       ::openat(proc_, "self/ns/mnt", O_RDONLY | O_CLOEXEC)};
    const bool both = fds[0] >= 0 && fds[1] >= 0;
    if (both) event.descriptors = kCarriesUser | kCarriesMounts;
    if (!both) event.value = errno;
    if (!send_packet(control_, &event, sizeof event, fds, both ? 2 : 0)) end();
    for (int fd : fds)
      if (fd >= 0) ::close(fd);
  }

  bool open_terminal(const RequestMessage& message, Terminal& terminal) noexcept {
    terminal.master = ::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal.master < 0) return false;
    int unlock = 0;
    if (::ioctl(terminal.master, TIOCSPTLCK, &unlock) != 0) return false;
    terminal.slave = ::ioctl(terminal.master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal.slave < 0) return false;
    ::tcsetattr(terminal.slave, TCSANOW, &message.terminal);
    ::ioctl(terminal.slave, TIOCSWINSZ, &message.terminal_size);
    // Its own terminal has a name on the host, and programs open it again by that name.
    if (ruleset_ >= 0 && kernel::landlock_add_path(ruleset_, terminal.slave, frame_.terminal_rights) != 0) return false;
    return ::ioctl(terminal.slave, TIOCSCTTY, 0) == 0;
  }

  void run(Request& request) noexcept {
    CommandStart start = command_start(frame_, ruleset_, listeners_[1], umask_);
    const RequestMessage& message = request.message;
    Terminal terminal;
    if (!request.map_arguments(start)) {
      send_failure(Failure{Stage::kRequest, errno, -1});
    } else if (message.terminal_mask != 0 && !open_terminal(message, terminal)) {
      send_failure(Failure{Stage::kOpenTerminal, errno, -1});
    } else {
      request.assign_stdio(start, terminal.slave);
      has_terminal_ = terminal.slave >= 0;
      if (role_ == Role::kCommandInit) first_pid_ = last_pid();
      const pid_t pid = start_command(start);
      if (pid < 0)
        report_start_failure(start);
      else
        report_start(start, pid, terminal.master);
    }
    for (std::size_t i = 0; i < request.count; ++i) ::close(request.fds[i]);
    if (terminal.slave >= 0) ::close(terminal.slave);
    if (terminal.master >= 0) ::close(terminal.master);
    request.unmap();
  }

  void report_start_failure(const CommandStart& start) noexcept {
    if (start.has_listener) ::close(take_listener());
    send_failure(start.failure);
  }

  void report_start(const CommandStart& start, pid_t pid, int terminal) noexcept {
    if (start.message->kind == RequestKind::kRehearse) {
      ::waitpid(pid, nullptr, 0);
      return send_started(EventKind::kRehearsed, pid, start.has_listener, -1);
    }
    ends_with_command_ = start.message->value == 1;
    send_started(EventKind::kStarted, pid, start.has_listener, terminal);
    if (loadavg_ < 0) open_loadavg();
  }

  // Forks and confines the command's process before the request for it arrives.
  void prespawn(int trap) noexcept {
    if (ruleset_ >= 0) return;            // a ruleset that each command enters may grow until then
    static PrespawnedCommand prespawned;  // one per process: a command init runs one command
    prespawned.start = command_start(frame_, ruleset_, listeners_[1], umask_);
    prespawned.control = control_;
    prespawned.trap = trap;
    prespawned.init = this;
    prespawned.last_pid = [](const void* init) noexcept { return static_cast<const InitServer*>(init)->last_pid(); };
    const pid_t pid = run_prespawned(prespawned);
    if (pid < 0) return;
    const bool has_failed = prespawned.start.failure.stage != Stage::kNone;
    if (prespawned.is_taken && !has_failed) {
      first_pid_ = prespawned.last_pid_before - 1;  // the command's own pid is older than that
      report_start(prespawned.start, pid, -1);
    } else {
      ::waitpid(pid, nullptr, 0);
      if (prespawned.is_taken)
        report_start_failure(prespawned.start);
      else if (prespawned.start.has_listener)
        ::close(take_listener());
    }
    prespawned.request.unmap();
  }

  ConfinementMethod method_;
  int control_;
  int listeners_[2];  // socket pair: from the command, before its exec, to init
  const CommandFrame& frame_;
  int landlock_abi_;
  int helpers_;
  int ruleset_;  // for every command to enter, or -1
  mode_t umask_;
  int proc_ = -1;
  int loadavg_ = -1;
  pid_t command_ = -1;
  int command_fd_ = -1;
  bool ends_with_command_ = false;
  Role role_ = Role::kInit;
  bool is_ending_ = false;  // on request, with its whole tree
  int child_events_ = -1;
  std::int64_t first_pid_ = 0;
  bool has_terminal_ = false;
};

// This process inherited every descriptor of the supervisor, among them the supervisor's end of the control socket: as
// long as a copy is open, init would not see the supervisor exit.
bool close_other_descriptors(int control, Failure& failure) noexcept {
  auto above = static_cast<unsigned>(control) + 1;
  bool done = (control == 0 || ::syscall(SYS_close_range, 0U, above - 2, 0) == 0) &&
              ::syscall(SYS_close_range, above, ~0U, 0) == 0;
  if (!done) failure = Failure{Stage::kStdio, errno, -1};
  return done;
}

// Every process inside can read /proc/1/cmdline, and the supervisor's arguments may hold secrets (--env NAME=VALUE).
void wipe_arguments(const InitOptions& options) noexcept {
  constexpr char kName[] = "pinfold-init";
  if (options.arguments_size == 0) return;
  std::memset(options.arguments, 0, options.arguments_size);
  if (options.arguments_size >= sizeof kName) std::memcpy(options.arguments, kName, sizeof kName);
}

// Init becomes a session leader, so that the command's process group is not orphaned and Ctrl-Z can stop it; init loses
// the caller's terminal.
bool start_session(const Blueprint& blueprint, Failure& failure) noexcept {
  if (!blueprint.new_session || ::setsid() >= 0) return true;
  failure = Failure{Stage::kStdio, errno, -1};
  return false;
}

}  // namespace

void run_init(const InitOptions& options, SharedBlock& shared) noexcept {
  // Here, in a copy of the process: reading a umask means changing it, and other threads of the original may be
  // creating files.
  const mode_t mask = ::umask(0);
  // If SIGCHLD were ignored by inheritance, the kernel would reap the command before init could.
  ::signal(SIGCHLD, SIG_DFL);
  wipe_arguments(options);
  Failure failure{Stage::kNone, 0, -1};
  int control = options.control;
  Setup setup(options, failure);
  int listeners[2];
  bool confined =
      close_other_descriptors(control, failure) && make_listener_socket(listeners, failure) && setup.prepare();
  RequestMessage message{};
  int fds[kMaxPacketFds];
  std::size_t count = 0;
  __atomic_store_n(&shared.is_prepared, true, __ATOMIC_RELEASE);
  const ssize_t got = receive_packet(control, &message, sizeof message, fds, count, 0);
  if (got == 0 || (got > 0 && message.kind != RequestKind::kConfine)) ::_exit(0);
  if (got < 0 && confined) {
    failure = Failure{Stage::kRequest, errno, -1};
    confined = false;
  }
  if (shared.was_placed) ::sched_setaffinity(0, sizeof shared.processors, &shared.processors);
  confined = confined && start_session(shared.blueprint, failure) && setup.confine(shared.blueprint);
  if (!confined) {
    EventMessage event{};
    event.kind = EventKind::kFailed;
    event.failure = failure;
    send_packet(control, &event, sizeof event, -1);
    ::_exit(1);
  }
  InitServer(options.method, control, listeners, shared.frame, setup, mask).serve();
}

}  // namespace pinfold::backend::on_linux::child
