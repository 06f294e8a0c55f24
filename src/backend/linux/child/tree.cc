// tree.cc: finds them in /proc, by their parents.
// Invariant: no allocation. A number that is read and signalled may be another process's by then only if its own parent
// reaped it in between: parents are stopped first, and orphans are ours to reap.
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

#include "backend/linux/child/scoped_fd.h"

namespace pinfold::backend::on_linux::child {
namespace {

struct Process {
  pid_t pid;
  pid_t parent;
  bool below;
};

int proc_directory = -1;

// As many as a system has that was not set up for more; pages come as they are touched.
constexpr std::size_t kMost = std::size_t{1} << 16;
Process processes[kMost];

int number_at(const char* text) noexcept {
  int number = 0;
  while (*text >= '0' && *text <= '9') number = number * 10 + (*text++ - '0');
  return number;
}

// The word at this place of a line.
const char* word_at(const char* text, int index) noexcept {
  while (index-- > 0) {
    while (*text != ' ' && *text != '\0') ++text;
    while (*text == ' ') ++text;
  }
  return text;
}

// The fourth field of /proc/N/stat; the second, in parentheses, may hold anything. 0: gone. A zombie whose other
// threads live on lives.
pid_t parent_of(int proc, const char* name, bool& lives) noexcept {
  char path[32] = {};
  if (std::strlen(name) + sizeof "/stat" > sizeof path) return 0;
  std::strcat(std::strcat(path, name), "/stat");
  Scoped file(::openat(proc, path, O_RDONLY | O_CLOEXEC));
  char text[512];
  ssize_t size = file.bad() ? -1 : ::read(file.raw(), text, sizeof text - 1);
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* close = std::strrchr(text, ')');
  if (close == nullptr || std::strlen(close) < 5) return 0;
  const char* state = close + 2;
  constexpr int kThreads = 17;  // from the state on
  lives = (*state != 'Z' && *state != 'X') || number_at(word_at(state, kThreads)) > 1;
  return number_at(state + 2);
}

int open_proc(const char* below) noexcept {
  if (proc_directory >= 0) return ::openat(proc_directory, below, O_RDONLY | O_CLOEXEC);
  Scoped proc(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return proc.bad() ? -1 : ::openat(proc.raw(), below, O_RDONLY | O_CLOEXEC);
}

struct LinuxDirent {
  ino64_t inode;
  off64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

enum class Which { kLiving, kEnded };

std::size_t list_processes(Which which = Which::kLiving) noexcept {
  Scoped proc(open_proc("."));
  if (proc.bad()) return 0;
  std::size_t count = 0;
  alignas(LinuxDirent) static char buffer[32 * 1024];
  for (;;) {
    long size = ::syscall(SYS_getdents64, proc.raw(), buffer, sizeof buffer);
    if (size <= 0) return count;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const LinuxDirent*>(buffer + at);
      at += entry->length;
      if (entry->name[0] < '1' || entry->name[0] > '9' || count == kMost) continue;
      bool lives = false;
      pid_t parent = parent_of(proc.raw(), entry->name, lives);
      if (parent > 0 && lives == (which == Which::kLiving))
        processes[count++] = Process{number_at(entry->name), parent, false};
    }
  }
}

// Marks those below us; how many there are.
std::size_t mark(std::size_t count) noexcept {
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

void end_tracers_of_children() noexcept {
  const std::size_t count = list_processes(Which::kEnded);
  for (std::size_t i = 0; i < count; ++i)
    if (processes[i].parent == ::getpid()) end_tracer_of(processes[i].pid);
}

}  // namespace

void list_from(int proc) noexcept { proc_directory = proc; }

bool signal_everything_below(int number) noexcept {
  std::size_t count = list_processes();
  bool any = mark(count) > 0;
  if (any) signal_marked(count, number);
  return any;
}

void end_tracer_of(pid_t process) noexcept {
  char path[32];
  char* at = path;
  char digits[12];
  int count = 0;
  for (pid_t rest = process; rest > 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) *at++ = digits[--count];
  std::strcpy(at, "/status");
  Scoped file(open_proc(path));
  char text[2048];
  ssize_t size = file.bad() ? -1 : ::read(file.raw(), text, sizeof text - 1);
  if (size <= 0) return;
  text[size] = '\0';
  constexpr char kTracer[] = "\nTracerPid:\t";
  const char* found = std::strstr(text, kTracer);
  const pid_t tracer = found != nullptr ? number_at(found + sizeof kTracer - 1) : 0;
  if (tracer > 1 && tracer != ::getpid()) ::kill(tracer, SIGKILL);
}

bool end_everything_below(int child) noexcept {
  constexpr unsigned kPause = 200;     // microseconds: those that were signalled need a processor to end, too
  constexpr unsigned kPatience = 500;  // rounds: who traces something on purpose waits for it by then
  constexpr unsigned kBlind = 25000;   // rounds: five seconds
  unsigned blind = 0;
  for (unsigned round = 0;; ++round) {
    std::size_t count = list_processes();
    std::size_t found = mark(count);
    if (found > 1) signal_marked(count, SIGSTOP);
    signal_marked(count, SIGKILL);
    if (child >= 0) ::syscall(SYS_pidfd_send_signal, child, SIGKILL, nullptr, 0);
    while (::waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
    }
    // Nothing in /proc, and nothing that the kernel would let us wait for.
    if (found == 0 && ::waitpid(-1, nullptr, WNOHANG | __WALL) < 0 && errno == ECHILD) return true;
    blind = count == 0 ? blind + 1 : 0;  // not even this process is listed
    if (blind > kBlind) return false;
    if (found == 0 && round > kPatience) end_tracers_of_children();
    ::usleep(kPause);
  }
}

}  // namespace pinfold::backend::on_linux::child
