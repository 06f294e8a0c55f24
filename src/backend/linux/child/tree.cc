// tree.cc: finds descendants in /proc, by their parents.
// Invariant: no allocation. A pid read here can belong to another process when it is signalled only if its parent
// reaped it in between: parents are stopped first, and orphans are reaped by this process.
// Not here: when (init.cc).
#include "backend/linux/child/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "backend/linux/child/scoped_fd.h"

namespace pinfold::backend::on_linux::child {
namespace {

struct Process {
  pid_t pid;
  pid_t parent;
  bool below;
};

int proc_directory = -1;

// The default pid limit of larger hosts; the kernel allocates pages on first access.
constexpr std::size_t kMaxProcesses = std::size_t{1} << 16;
Process processes[kMaxProcesses];

int number_at(const char* text) noexcept {
  int number = 0;
  while (*text >= '0' && *text <= '9') number = number * 10 + (*text++ - '0');
  return number;
}

// The word with this index.
const char* word_at(const char* text, int index) noexcept {
  while (index-- > 0) {
    while (*text != ' ' && *text != '\0') ++text;
    while (*text == ' ') ++text;
  }
  return text;
}

// The fourth field of /proc/N/stat; the second, in parentheses, may hold any characters. 0: the process is gone. A
// zombie whose other threads still run counts as alive.
pid_t parent_of(int proc, const char* name, bool& alive) noexcept {
  char path[32] = {};
  if (std::strlen(name) + sizeof "/stat" > sizeof path) return 0;
  std::strcat(std::strcat(path, name), "/stat");
  ScopedFd file(::openat(proc, path, O_RDONLY | O_CLOEXEC));
  char text[512];
  ssize_t size = file.bad() ? -1 : ::read(file.raw(), text, sizeof text - 1);
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* close = std::strrchr(text, ')');
  if (close == nullptr || std::strlen(close) < 5) return 0;
  const char* state = close + 2;
  constexpr int kThreads = 17;  // index, counted from the state
  alive = (*state != 'Z' && *state != 'X') || number_at(word_at(state, kThreads)) > 1;
  return number_at(state + 2);
}

int open_proc(const char* below) noexcept {
  if (proc_directory >= 0) return ::openat(proc_directory, below, O_RDONLY | O_CLOEXEC);
  ScopedFd proc(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return proc.bad() ? -1 : ::openat(proc.raw(), below, O_RDONLY | O_CLOEXEC);
}

struct LinuxDirent {
  ino64_t inode;
  off64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

enum class ProcessState { kAlive, kEnded };

std::size_t list_processes(ProcessState state = ProcessState::kAlive) noexcept {
  ScopedFd proc(open_proc("."));
  if (proc.bad()) return 0;
  std::size_t count = 0;
  alignas(LinuxDirent) static char buffer[32 * 1024];
  for (;;) {
    long size = ::syscall(SYS_getdents64, proc.raw(), buffer, sizeof buffer);
    if (size <= 0) return count;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const LinuxDirent*>(buffer + at);
      at += entry->length;
      if (entry->name[0] < '1' || entry->name[0] > '9' || count == kMaxProcesses) continue;
      bool alive = false;
      pid_t parent = parent_of(proc.raw(), entry->name, alive);
      if (parent > 0 && alive == (state == ProcessState::kAlive))
        processes[count++] = Process{number_at(entry->name), parent, false};
    }
  }
}

// Marks the descendants of this process and returns their number.
std::size_t mark_descendants(std::size_t count) noexcept {
  const pid_t self = ::getpid();
  std::size_t found = 0;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (processes[i].below) continue;
      bool below = processes[i].parent == self;
      for (std::size_t j = 0; j < count && !below; ++j)
        below = processes[j].below && processes[j].pid == processes[i].parent;
      if (!below) continue;
      processes[i].below = more = true;
      ++found;
    }
  }
  return found;
}

void signal_marked(std::size_t count, int number) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    if (processes[i].below) ::kill(processes[i].pid, number);
}

bool is_marked(std::size_t count, pid_t process) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    if (processes[i].below && processes[i].pid == process) return true;
  return false;
}

// Children of one thread, by its list in /proc (since 3.5, CONFIG_PROC_CHILDREN).
bool signal_unlisted(int list, std::size_t count, int number) noexcept {
  char text[1024];
  pid_t process = 0;
  bool any = false;
  for (ssize_t size = 0; (size = ::read(list, text, sizeof text)) > 0;) {
    for (ssize_t at = 0; at < size; ++at) {
      if (text[at] >= '0' && text[at] <= '9') {
        process = process * 10 + (text[at] - '0');
        continue;
      }
      if (process > 1 && !is_marked(count, process)) any = ::kill(process, number) == 0 || any;
      process = 0;
    }
  }
  return any;
}

// A /proc with hidepid (since 3.3) shows no process that this one may not trace, such as one with PR_SET_DUMPABLE 0.
// The list of this process's own children holds them all; it also holds their descendants once their parents are dead.
bool signal_unlisted_children(std::size_t count, int number) noexcept {
  constexpr char kList[] = "/children";
  ScopedFd tasks(open_proc("self/task"));
  if (tasks.bad()) return false;
  bool any = false;
  alignas(LinuxDirent) static char buffer[4096];
  for (long size = 0; (size = ::syscall(SYS_getdents64, tasks.raw(), buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const LinuxDirent*>(buffer + at);
      at += entry->length;
      char path[32] = {};
      if (entry->name[0] == '.' || std::strlen(entry->name) + sizeof kList > sizeof path) continue;
      std::strcat(std::strcat(path, entry->name), kList);
      ScopedFd list(::openat(tasks.raw(), path, O_RDONLY | O_CLOEXEC));
      if (!list.bad()) any = signal_unlisted(list.raw(), count, number) || any;
    }
  }
  return any;
}

long seconds_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void kill_tracers_of_children() noexcept {
  const std::size_t count = list_processes(ProcessState::kEnded);
  for (std::size_t i = 0; i < count; ++i)
    if (processes[i].parent == ::getpid()) kill_tracer_of(processes[i].pid);
}

}  // namespace

void set_proc_directory(int proc) noexcept { proc_directory = proc; }

bool signal_descendants(int number) noexcept {
  std::size_t count = list_processes();
  bool any = mark_descendants(count) > 0;
  if (any) signal_marked(count, number);
  return signal_unlisted_children(count, number) || any;
}

void kill_tracer_of(pid_t process) noexcept {
  char path[32];
  char* at = path;
  char digits[12];
  int count = 0;
  for (pid_t rest = process; rest > 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) *at++ = digits[--count];
  std::strcpy(at, "/status");
  ScopedFd file(open_proc(path));
  char text[2048];
  ssize_t size = file.bad() ? -1 : ::read(file.raw(), text, sizeof text - 1);
  if (size <= 0) return;
  text[size] = '\0';
  constexpr char kTracer[] = "\nTracerPid:\t";
  const char* found = std::strstr(text, kTracer);
  const pid_t tracer = found != nullptr ? number_at(found + sizeof kTracer - 1) : 0;
  if (tracer > 1 && tracer != ::getpid()) ::kill(tracer, SIGKILL);
}

bool kill_descendants(int child) noexcept {
  constexpr unsigned kRoundPause = 200;    // microseconds: killed processes need a processor to exit
  constexpr unsigned kTracerRounds = 500;  // rounds after which a tracer that has not waited for its tracee is killed
  constexpr unsigned kMaxBlindRounds = 25000;  // rounds: 5 seconds
  constexpr long kMaxSeconds = 60;       // a process that waits for a device does not end before the device responds
  constexpr unsigned kMinRounds = 1000;  // this process may have been stopped for 60 seconds itself
  const long until = seconds_now() + kMaxSeconds;
  unsigned blind_rounds = 0;
  for (unsigned round = 0;; ++round) {
    std::size_t count = list_processes();
    std::size_t found = mark_descendants(count);
    if (found > 1) signal_marked(count, SIGSTOP);
    signal_marked(count, SIGKILL);
    if (child >= 0) ::syscall(SYS_pidfd_send_signal, child, SIGKILL, nullptr, 0);
    while (::waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
    }
    const pid_t waited = ::waitpid(-1, nullptr, WNOHANG | __WALL);
    // No descendant in /proc, and none that waitpid() reports.
    if (found == 0 && waited < 0 && errno == ECHILD) return true;
    if (waited == 0) {
      signal_unlisted_children(count, SIGSTOP);
      signal_unlisted_children(count, SIGKILL);
    }
    blind_rounds = count == 0 ? blind_rounds + 1 : 0;  // /proc does not list this process itself
    if (blind_rounds > kMaxBlindRounds || (round > kMinRounds && seconds_now() > until)) return false;
    if (found == 0 && round > kTracerRounds) kill_tracers_of_children();
    ::usleep(kRoundPause);
  }
}

}  // namespace pinfold::backend::on_linux::child
