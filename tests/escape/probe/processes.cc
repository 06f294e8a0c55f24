// processes.cc: attempts on other processes: trace, memory, descriptors, signals, their executable.
// Invariant: an error that comes after the permission check (EFAULT, EIO, ETXTBSY) counts as reached.
// Not here: making processes (resources.cc, exec.cc).
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

std::string in_proc(pid_t pid, const char* name) { return "/proc/" + std::to_string(pid) + "/" + name; }

Result trace_attach(const Args& args) {
  pid_t pid = target(args[0]);
  if (::ptrace(PTRACE_ATTACH, pid, nullptr, nullptr) < 0) return denied();
  ::waitpid(pid, nullptr, __WALL);
  ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return reached("attached to " + args[0]);
}

Result trace_seize(const Args& args) {
  pid_t pid = target(args[0]);
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) < 0) return denied();
  // The tracer's exit detaches a seized process without stopping it.
  return reached("seized " + args[0]);
}

// Offers itself to the parent: PTRACE_TRACEME asks no one.
Result trace_me(const Args&) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) < 0) return denied();
  return reached("is traced by its parent");
}

Result memory_read(const Args& args) {
  int fd = ::open(in_proc(target(args[0]), "mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return denied();
  char buffer[128] = {};
  ssize_t got = ::pread(fd, buffer, sizeof buffer - 1, static_cast<off_t>(number(args[1])));
  if (got <= 0) return reached("opened its memory");
  return reached(printable(buffer, 120));
}

Result memory_write(const Args& args) {
  int fd = ::open(in_proc(target(args[0]), "mem").c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return denied();
  if (::pwrite(fd, "X", 1, static_cast<off_t>(number(args[1]))) != 1) return reached("opened its memory for writing");
  return reached("changed its memory");
}

Result call_read(const Args& args) {
  char buffer[128] = {};
  iovec local{buffer, sizeof buffer - 1};
  iovec remote{reinterpret_cast<void*>(number(args[1])), sizeof buffer - 1};
  ssize_t got = ::process_vm_readv(target(args[0]), &local, 1, &remote, 1, 0);
  if (got < 0 && errno == EFAULT) return reached("allowed, at an unmapped address");
  if (got < 0) return denied();
  return reached(printable(buffer, 120));
}

Result call_write(const Args& args) {
  char byte = 'X';
  iovec local{&byte, 1};
  iovec remote{reinterpret_cast<void*>(number(args[1])), 1};
  ssize_t got = ::process_vm_writev(target(args[0]), &local, 1, &remote, 1, 0);
  if (got < 0 && errno == EFAULT) return reached("allowed, at an unmapped address");
  if (got < 0) return denied();
  return reached("changed its memory");
}

// Tries the descriptor that the canary keeps open, or, boxed, each of the first 64.
Result take_descriptor(const Args& args) {
  auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, target(args[0]), 0));
  if (pidfd < 0) return denied();
  int first = args[1] == "any" ? 0 : static_cast<int>(number(args[1]));
  int last = args[1] == "any" ? 63 : first;
  for (int fd = first; fd <= last; ++fd) {
    auto taken = static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd, fd, 0));
    if (taken < 0) continue;
    char buffer[128] = {};
    if (::pread(taken, buffer, sizeof buffer - 1, 0) > 0) return reached(printable(buffer, 120));
    return reached("took descriptor " + std::to_string(fd));
  }
  return denied();
}

bool still_there(pid_t pid) {
  for (int i = 0; i < 20; ++i) {
    nap_ms(10);
    if (::kill(pid, 0) < 0 && errno == ESRCH) return false;
    char state[256] = {};
    int fd = ::open(in_proc(pid, "stat").c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ssize_t got = ::read(fd, state, sizeof state - 1);
    ::close(fd);
    const char* after = got > 0 ? std::strrchr(state, ')') : nullptr;
    if (after != nullptr && after[1] != '\0' && (after[2] == 'Z' || after[2] == 'T' || after[2] == 't')) return false;
  }
  return true;
}

Result kill_by_pid(const Args& args) {
  pid_t pid = target(args[0]);
  if (::kill(pid, static_cast<int>(number(args[1]))) < 0) return denied();
  if (still_there(pid)) return denied("it lives on");
  return reached("ended or stopped " + args[0]);
}

Result kill_by_group(const Args& args) {
  pid_t pid = target(args[0]);
  if (::kill(-pid, static_cast<int>(number(args[1]))) < 0) return denied();
  if (still_there(pid)) return denied("it lives on");
  return reached("ended or stopped the group " + args[0]);
}

Result kill_by_pidfd(const Args& args) {
  pid_t pid = target(args[0]);
  auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return denied();
  if (::syscall(SYS_pidfd_send_signal, pidfd, number(args[1]), nullptr, 0) < 0) return denied();
  if (still_there(pid)) return denied("it lives on");
  return reached("ended or stopped " + args[0]);
}

Result kill_by_queue(const Args& args) {
  pid_t pid = target(args[0]);
  if (::sigqueue(pid, static_cast<int>(number(args[1])), sigval{}) < 0) return denied();
  if (still_there(pid)) return denied("it lives on");
  return reached("ended or stopped " + args[0]);
}

// Keeps a handle on the running program's file, to write it once it is no longer busy.
Result executable_handle(const Args& args) {
  std::string link = in_proc(target(args[0]), "exe");
  int handle = ::open(link.c_str(), O_PATH | O_CLOEXEC);
  if (handle < 0) return denied();
  std::string again = "/proc/self/fd/" + std::to_string(handle);
  int fd = ::open(again.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd >= 0) return reached("opened its executable for writing");
  if (errno == ETXTBSY) return reached("its executable is writable once it ends");
  return denied();
}

Result environment_of(const Args& args) {
  int fd = ::open(in_proc(target(args[0]), "environ").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return denied();
  char buffer[4096] = {};
  ssize_t got = ::read(fd, buffer, sizeof buffer - 1);
  if (got < 0) return denied();
  if (got == 0) return denied("empty");
  std::string_view bytes(buffer, static_cast<std::size_t>(got));
  std::size_t found = args.size() > 1 ? bytes.find(args[1]) : 0;
  if (found == std::string_view::npos) return denied("readable, but without the secret");
  return reached(printable(bytes.substr(found), 80));
}

// Looks for a text in one file of every process that is visible, but for this one. The text comes in two pieces, so
// that it stands in no command line that merely repeats these arguments.
Result search_all(const Args& args) {
  std::string text = args[1] + args[2];
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return cannot("opendir /proc");
  int looked_at = 0;
  while (dirent* entry = ::readdir(proc)) {
    auto pid = static_cast<pid_t>(number(entry->d_name));
    if (pid <= 0 || pid == ::getpid()) continue;
    int fd = ::open(in_proc(pid, args[0].c_str()).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ++looked_at;
    static char buffer[1 << 16];
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    ::close(fd);
    if (got <= 0) continue;
    std::string_view bytes(buffer, static_cast<std::size_t>(got));
    std::size_t found = bytes.find(text);
    if (found != std::string_view::npos) return reached(printable(bytes.substr(found), 80));
  }
  return denied("not in the " + std::to_string(looked_at) + " files that could be read");
}

// Reads all that maps names as readable; bounded to 64 MiB.
Result search_memory(const Args& args) {
  pid_t pid = target(args[0]);
  int memory = ::open(in_proc(pid, "mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (memory < 0) return denied();
  FILE* maps = std::fopen(in_proc(pid, "maps").c_str(), "re");
  if (maps == nullptr) return denied();
  static char buffer[1 << 20];
  char line[512];
  std::size_t budget = 64U << 20;
  bool any = false;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from = 0;
    unsigned long to = 0;
    char rights[8] = {};
    if (std::sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || rights[0] != 'r') continue;
    for (unsigned long at = from; at < to && budget > sizeof buffer; at += sizeof buffer) {
      std::size_t want = to - at < sizeof buffer ? to - at : sizeof buffer;
      ssize_t got = ::pread(memory, buffer, want, static_cast<off_t>(at));
      if (got <= 0) break;
      any = true;
      budget -= static_cast<std::size_t>(got);
      std::string_view bytes(buffer, static_cast<std::size_t>(got));
      std::size_t found = bytes.find(args[1]);
      if (found != std::string_view::npos) return reached(printable(bytes.substr(found), 80));
    }
  }
  if (any) return reached("read its memory, though not the secret");
  return denied("opened, but nothing could be read");
}

Result open_handle(const Args& args) {
  if (::syscall(SYS_pidfd_open, target(args[0]), 0) < 0) return denied();
  return reached("a pidfd of " + args[0]);
}

Result compare_kernel_objects(const Args& args) {
  if (::syscall(SYS_kcmp, ::getpid(), target(args[0]), 0, 0, 0) < 0) return denied();
  return reached("compared kernel pointers with " + args[0]);
}

constexpr Attempt kAttempts[] = {
    {"trace-attach", 1, trace_attach},
    {"trace-seize", 1, trace_seize},
    {"trace-me", 0, trace_me},
    {"memory-read", 2, memory_read},
    {"memory-write", 2, memory_write},
    {"vm-readv", 2, call_read},
    {"vm-writev", 2, call_write},
    {"take-descriptor", 2, take_descriptor},
    {"kill", 2, kill_by_pid},
    {"kill-group", 2, kill_by_group},
    {"kill-by-pidfd", 2, kill_by_pidfd},
    {"kill-by-queue", 2, kill_by_queue},
    {"executable-handle", 1, executable_handle},
    {"environment-of", 1, environment_of},
    {"search-all", 3, search_all},
    {"search-memory", 2, search_memory},
    {"open-pidfd", 1, open_handle},
    {"compare-kernel-objects", 1, compare_kernel_objects},
};

}  // namespace

std::span<const Attempt> process_attempts() { return kAttempts; }

}  // namespace probe
