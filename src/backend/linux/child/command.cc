// command.cc: everything between init's fork and the command's first instruction.
// Invariant: no allocation; runs on init's memory (CLONE_VM | CLONE_VFORK), where it changes nothing but `failure`.
// Not here: choosing the program (supervisor).
#include "backend/linux/child/command.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/packet.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace pinfold::backend::on_linux::child {
namespace {

bool failed(CommandStart& start, Stage stage) noexcept {
  start.failure = Failure{stage, errno, -1};
  return false;
}

bool is_null_device(const struct stat& info) noexcept { return S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3); }

}  // namespace

int open_null_device(int mode) noexcept {
  const int fd = ::open("/dev/null", mode | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0) return fd;
  return errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP ? kNoNullDevice : kNotOpened;
}

namespace {

int duplicate(int from, int to) noexcept {
  int fd = -1;
  do fd = ::dup2(from, to);
  while (fd < 0 && errno == EINTR);
  return fd;
}

// The caller's /dev/null is the host's, and root could change its mode for all processes; the sandbox's is mounted
// read-only. If the sandbox has none, the caller's stays.
bool replace_null_device(const CommandStart& start, int fd) noexcept {
  if (::getuid() != 0) return true;
  struct stat info {};
  if (::fstat(fd, &info) != 0) return false;
  if (!is_null_device(info)) return true;
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return false;
  const int mode = flags & O_ACCMODE;
  const int ready = mode <= O_RDWR ? start.nulls[mode] : kNotOpened;
  const int own = ready != kNotOpened ? ready : open_null_device(mode);
  if (own < 0) return own == kNoNullDevice;
  struct stat found {};
  const bool done = ::fstat(own, &found) == 0 && (!is_null_device(found) || duplicate(own, fd) >= 0);
  if (own != ready) ::close(own);
  return done;
}

bool take_stdio(CommandStart& start) noexcept {
  // Lift the three descriptors out of the way first: they may be 0, 1 or 2 in another order.
  int lifted[3];
  for (int i = 0; i < 3; ++i) {
    lifted[i] = ::fcntl(start.stdio[i], F_DUPFD, 10);
    if (lifted[i] < 0) return failed(start, Stage::kStdio);
  }
  for (int i = 0; i < 3; ++i) {
    if (duplicate(lifted[i], i) < 0) return failed(start, Stage::kStdio);
    ::close(lifted[i]);
    if (!replace_null_device(start, i)) return failed(start, Stage::kStdio);
  }
  return true;
}

bool enter_group(CommandStart& start) noexcept {
  if (::setpgid(0, 0) != 0) return failed(start, Stage::kStdio);
  // The command is the terminal's foreground group; SIGTTOU is blocked here like every signal.
  if (start.terminal >= 0 && ::tcsetpgrp(start.terminal, ::getpid()) != 0) return failed(start, Stage::kOpenTerminal);
  return true;
}

bool set_limits(CommandStart& start) noexcept {
  for (std::size_t i = 0; i < start.frame->limit_count; ++i) {
    const ResourceLimit& each = start.frame->limits[i];
    rlimit both{each.amount, each.amount};
    if (::setrlimit(static_cast<__rlimit_resource_t>(each.resource), &both) != 0) return failed(start, Stage::kLimits);
  }
  return true;
}

bool set_signals(CommandStart& start) noexcept {
  if (start.message->fresh_signals != 0) {
    // The kernel's own struct, all zero: SIG_DFL. glibc refuses to change the signals that it uses itself.
    const unsigned long usual[4] = {};
    for (int number = 1; number < NSIG; ++number)  // SIGKILL and SIGSTOP cannot be changed
      ::syscall(SYS_rt_sigaction, number, usual, nullptr, sizeof(unsigned long));
    sigset_t none;
    ::sigemptyset(&none);
    return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0 || failed(start, Stage::kStdio);
  }
  if (::sigprocmask(SIG_SETMASK, &start.frame->signal_mask, nullptr) != 0) return failed(start, Stage::kStdio);
  return true;
}

// From here on the command's ruleset applies to this process, too: every step that needs more access comes before it.
bool enter_ruleset(CommandStart& start) noexcept {
  return start.ruleset < 0 || kernel::landlock_restrict(start.ruleset) == 0 || failed(start, Stage::kLandlockRestrict);
}

// Init waits for this exec and the supervisor waits for init: a call that waits for the supervisor would deadlock.
void marked_exec(const char* path, char** argv, const CommandStart& start) noexcept {
  ::syscall(SYS_execve, path, argv, start.environment, 0L, 0L, static_cast<unsigned long>(start.frame->mark));
}
bool is_file(const char* path, const CommandStart& start) noexcept {
  struct stat info {};
  return ::syscall(SYS_newfstatat, AT_FDCWD, path, &info, 0L, 0L, static_cast<unsigned long>(start.frame->mark)) == 0 &&
         S_ISREG(info.st_mode);
}

// The shell runs a script without "#!", as execvp does; init left a free slot before argv for that.
void execute_path(const char* path, CommandStart& start) noexcept {
  marked_exec(path, start.argv, start);
  if (errno != ENOEXEC) return;
  char* first = start.argv[0];
  start.argv[0] = const_cast<char*>(path);
  start.argv[-1] = const_cast<char*>("sh");
  marked_exec("/bin/sh", start.argv - 1, start);
  start.argv[0] = first;
  errno = ENOEXEC;
}

// As execvp does, but without allocating: the first entry that runs, EACCES remembered over ENOENT.
void execute(CommandStart& start) noexcept {
  const char* name = start.argv[0];
  if (std::strchr(name, '/') != nullptr) {
    execute_path(name, start);
    return;
  }
  bool denied = false;
  const char* at = start.search_path;
  std::size_t length = std::strlen(name);
  char candidate[4096];
  while (at != nullptr && *at != '\0') {
    const char* end = std::strchr(at, ':');
    std::size_t size = end != nullptr ? static_cast<std::size_t>(end - at) : std::strlen(at);
    // An empty entry means the working directory: never searched.
    if (size > 0 && size + length + 2 <= sizeof candidate) {
      std::memcpy(candidate, at, size);
      candidate[size] = '/';
      std::memcpy(candidate + size + 1, name, length);
      candidate[size + 1 + length] = '\0';
      execute_path(candidate, start);
      if (errno == EACCES || errno == EPERM) {
        denied = denied || is_file(candidate, start);
      } else if (errno != ENOENT && errno != ENOTDIR) {
        return;
      }
    }
    at = end != nullptr ? end + 1 : nullptr;
  }
  errno = denied ? EACCES : ENOENT;
}

// The mark, as above: where the filter is already installed, it could trap this call.
bool enter_directory(CommandStart& start) noexcept {
  return ::syscall(SYS_chdir, start.working_dir, 0L, 0L, 0L, 0L, static_cast<unsigned long>(start.frame->mark)) == 0 ||
         failed(start, Stage::kWorkingDirectory);
}

bool close_others(CommandStart& start) noexcept {
  auto close_all = [](unsigned first, unsigned last) {
    return first > last || ::syscall(SYS_close_range, first, last, 0) == 0;
  };
  const auto spared = static_cast<unsigned>(start.spared_fd);
  const bool done = start.spared_fd < 0 ? close_all(3, ~0U) : close_all(3, spared - 1) && close_all(spared + 1, ~0U);
  return done || failed(start, Stage::kStdio);
}

int command_main(void* argument) noexcept {
  exec_command(*static_cast<CommandStart*>(argument), FilterState::kNotInstalled);
}

alignas(16) char command_stack[64 * 1024];

}  // namespace

CommandStart command_start(const CommandFrame& frame, int ruleset, int listener_out, mode_t umask) noexcept {
  CommandStart start{};
  start.frame = &frame;
  start.ruleset = ruleset;
  start.listener_out = listener_out;
  start.umask = umask;
  start.terminal = start.spared_fd = -1;
  for (int& each : start.nulls) each = kNotOpened;
  return start;
}

bool install_filter(CommandStart& start, int trap) noexcept {
  sock_fprog program{start.frame->filter_length, const_cast<sock_filter*>(start.frame->filter)};
  if (trap == 0)
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 || failed(start, Stage::kFilter);
  unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  long listener = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (listener < 0 && errno == EINVAL)  // before 5.19 signals may interrupt a waiting call, which then restarts
    listener = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (listener < 0) return failed(start, Stage::kListener);
  char nothing = 0;
  start.has_listener = send_packet(start.listener_out, &nothing, sizeof nothing, static_cast<int>(listener));
  return start.has_listener || failed(start, Stage::kListener);
}

void exec_command(CommandStart& start, FilterState filter) noexcept {
  if (!enter_group(start) || !take_stdio(start)) ::_exit(127);
  ::umask(start.umask);
  if (!enter_directory(start) || !set_limits(start) || !enter_ruleset(start) || !set_signals(start) ||
      (filter == FilterState::kNotInstalled && !install_filter(start, start.message->trap)) || !close_others(start))
    ::_exit(127);
  if (start.message->kind == RequestKind::kRehearse) ::_exit(0);
  execute(start);
  failed(start, Stage::kExec);
  ::_exit(127);
}

pid_t start_command(CommandStart& start) noexcept {
  start.failure = Failure{Stage::kNone, 0, -1};
  int pid = ::clone(command_main, command_stack + sizeof command_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  if (pid < 0) {
    failed(start, Stage::kFork);
    return -1;
  }
  if (start.failure.stage != Stage::kNone) {
    ::waitpid(pid, nullptr, 0);
    return -1;
  }
  return pid;
}

}  // namespace pinfold::backend::on_linux::child
