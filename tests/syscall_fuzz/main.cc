// main.cc: runs the random program of one seed, or is the canary process, or checks the grammar.
//   syscall_fuzz --seed N [--steps N] [--only STEP,…] [--sibling PID] [--trace]
//   syscall_fuzz --canary        waits for ever, with the canary of its environment in its memory
//   syscall_fuzz --check-table   every reviewed system call has a shape, or a reason to be left out
// Report, on standard output: "@@ begin STEPS flipping|steady" (whether a thread changes paths in memory); "@@ leak
// KIND by CALL step N" for each canary text that a call returned; at the end
// "@@ calls NAME=MADE/SUCCEEDED …".
// Not here: the arguments (values.cc), sequences (sequences.cc).
#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "fuzz.h"

namespace fuzz {
namespace {

constexpr Word kMostForks = 12;
constexpr long kExecutorMilliseconds = 1500;
constexpr long kKeeperMilliseconds = 4000;
constexpr std::uintptr_t kCanaryPage = 0x200000000;  // the same as in values.cc

struct Options {
  Word seed = 1;
  int steps = 0;
  std::vector<Word> only;
  pid_t sibling = 2;
  bool trace = false;
};

long g_deadline = 0;
const std::vector<Word>* g_only = nullptr;

long now() {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

void ignore_signal(int) {}

// A call that waits ends with EINTR after at most 8 ms; a call before may have changed the timer or the mask.
void arm() {
  struct sigaction action {};
  action.sa_handler = ignore_signal;
  ::sigaction(SIGALRM, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const itimerval every{{0, 8000}, {0, 8000}};
  ::setitimer(ITIMER_REAL, &every, nullptr);
}

void show(const Program& program, long number, const std::array<Word, 6>& arguments, long result, int error) {
  char line[640];
  int used = std::snprintf(line, sizeof line, "@@ trace %llu.%d %s(", static_cast<unsigned long long>(program.step),
                           program.depth, call_name(number));
  for (const Word each : arguments) {
    const auto* text = reinterpret_cast<const char*>(each);
    const auto from = reinterpret_cast<std::uintptr_t>(scratch(0));
    const bool printable =
        each > 0x10000 && (each < 0x200000000 || each - from + 0x20000 < 0x40000) && text[0] >= '.' && text[0] < 127;
    used += printable ? std::snprintf(line + used, 100, "\"%.80s\" ", text)
                      : std::snprintf(line + used, 40, "%#llx ", static_cast<unsigned long long>(each));
  }
  used += std::snprintf(line + used, 40, ") = %ld %s\n", result, result < 0 ? ::strerrorname_np(error) : "");
  if (::write(kReport, line, static_cast<std::size_t>(used)) < 0) return;
}

void any_call(Program& program) {
  const auto list = shapes();
  const Shape& shape = list[program.random.below(list.size())];
  if (shape.number == __NR_clone || shape.number == __NR_fork) {
    fork_and_run(program, shape.number == __NR_fork ? 0 : value_for('K', program));
    return;
  }
  if (shape.number == __NR_execve || shape.number == __NR_execveat) {
    any_sequence(program);
    return;
  }
  std::array<Word, 6> arguments{};
  for (std::size_t i = 0; shape.arguments[i] != '\0'; ++i) arguments[i] = value_for(shape.arguments[i], program);
  // A fatal signal to this process or its group would only end the run early.
  if (shape.number == __NR_kill || shape.number == __NR_tkill || shape.number == __NR_rt_sigqueueinfo)
    if (arguments[0] == 0 || arguments[0] == static_cast<Word>(::getpid())) arguments[1] = SIGCHLD;
  make(program, shape.number, arguments);
}

bool wanted(Word step) {
  if (g_only == nullptr || g_only->empty()) return true;
  for (const Word each : *g_only)
    if (each == step) return true;
  return false;
}

// Stays behind on purpose: nothing of a boxed run may survive it.
[[noreturn]] void linger() {
  ::setsid();
  for (const long end = now() + 60000; now() < end;) ::poll(nullptr, 0, 1000);
  ::_exit(0);
}

[[noreturn]] void execute(Program& program, const Options& options) {
  arm();
  for (const int each : {SIGTERM, SIGUSR1, SIGPIPE, SIGIO, SIGHUP}) ::signal(each, SIG_IGN);
  g_deadline = now() + kExecutorMilliseconds;
  prepare_memory(program);
  program.descriptors.fill(-1);
  int at = 0;
  for (const char* each : {".", "..", "a.txt", "/", "/proc/self", "sub", "/tmp"})
    program.descriptors[static_cast<std::size_t>(at++)] = ::open(each, O_RDONLY | O_CLOEXEC);
  program.descriptors[7] = ::open("a.txt", O_RDWR);
  program.descriptors[8] = ::socket(AF_UNIX, SOCK_STREAM, 0);
  program.descriptors[9] = ::socket(AF_INET, SOCK_STREAM, 0);
  program.descriptors[10] = ::open(".", O_PATH | O_DIRECTORY);
  int ends[2];
  if (::pipe(ends) == 0) {
    program.descriptors[11] = ends[0];
    program.descriptors[12] = ends[1];
  }
  Random choices(options.seed);
  const int steps = options.steps > 0 ? options.steps : 30 + static_cast<int>(choices.below(171));
  const bool flips = choices.one_in(4);
  char line[64];
  const int size = std::snprintf(line, sizeof line, "\n@@ begin %d %s\n", steps, flips ? "flipping" : "steady");
  if (::write(kReport, line, static_cast<std::size_t>(size)) != size) ::_exit(97);
  if (flips) start_flipping();
  run_steps(program, choices, steps);
  ::_exit(0);
}

void report(const Counters& counters) {
  std::string line = "\n@@ calls";
  for (std::size_t i = 0; i < kCallNumbers; ++i)
    if (counters.made[i] > 0)
      line += std::string(" ") + call_name(static_cast<long>(i)) + "=" + std::to_string(counters.made[i]) + "/" +
              std::to_string(counters.succeeded[i]);
  line += "\n@@ end\n";
  if (::write(kReport, line.data(), line.size()) < 0) ::_exit(91);
}

int run(const Options& options) {
  if (::dup2(1, kReport) < 0) return 92;
  Program program;
  program.sibling = options.sibling;
  program.trace = options.trace;
  program.counters = static_cast<Counters*>(
      ::mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (program.counters == MAP_FAILED) return 93;
  g_only = &options.only;
  const pid_t executor = ::fork();
  if (executor == 0) execute(program, options);
  if (executor < 0) return 94;
  for (const long end = now() + kKeeperMilliseconds;;) {
    int status = 0;
    const pid_t ended = ::waitpid(executor, &status, WNOHANG | WUNTRACED);
    if (ended == executor && !WIFSTOPPED(status)) break;
    if (now() > end) ::kill(executor, SIGKILL);
    ::poll(nullptr, 0, 2);
  }
  report(*program.counters);
  return 0;
}

[[noreturn]] void be_canary() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  void* page = ::mmap(reinterpret_cast<void*>(kCanaryPage), 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  const char* secret = std::getenv("CANARY");
  if (page == MAP_FAILED || secret == nullptr) ::_exit(95);
  std::strncpy(static_cast<char*>(page), secret, 200);
  if (::write(1, "ready\n", 6) != 6) ::_exit(96);
  ::close(1);
  for (;;) ::poll(nullptr, 0, -1);
}

std::vector<Word> numbers(const char* text) {
  std::vector<Word> out;
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    out.push_back(std::strtoull(text, &end, 10));
    if (end == text) break;
  }
  return out;
}

}  // namespace

long make(Program& program, long number, std::array<Word, 6> arguments) {
  arm();
  const long result =
      ::syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  const int error = errno;
  const auto index = static_cast<std::size_t>(number);
  if (index < kCallNumbers) {
    ++program.counters->made[index];
    if (result >= 0 || result < -4095) ++program.counters->succeeded[index];
  }
  if (program.trace) show(program, number, arguments, result, error);
  search_output(program, number);
  if (result >= 0 && makes_descriptor(number)) keep_descriptor(program, result);
  if (number == __NR_fcntl && result > 2 && (arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC))
    keep_descriptor(program, result);
  if (result == 0 && (number == __NR_pipe2 || number == __NR_socketpair || number == __NR_pipe)) {
    int ends[2];
    std::memcpy(ends, output_buffer(kOutput - 64), sizeof ends);
    for (const int each : ends) keep_descriptor(program, each);
  }
  if ((number == __NR_mmap || number == __NR_shmat) && result != -1) {
    Mapping& slot = program.mappings[program.random.below(program.mappings.size())];
    slot = {reinterpret_cast<void*>(result), number == __NR_mmap ? arguments[1] : 4096};
    search_memory(program, number, slot.address, slot.length);
  }
  errno = error;
  return result;
}

void run_steps(Program& program, Random choices, int steps) {
  for (int i = 0; i < steps && now() < g_deadline; ++i) {
    const Word own = choices.next();
    if (program.depth == 0) {
      program.step = static_cast<Word>(i);
      if (!wanted(program.step)) continue;
    }
    program.random = Random(own);
    ++program.counters->steps;
    clear_buffers();
    if (program.random.one_in(3))
      any_sequence(program);
    else
      any_call(program);
  }
}

long fork_and_run(Program& program, Word flags) {
  if (program.depth >= 2 || program.counters->forks >= kMostForks) return -1;
  ++program.counters->forks;
  const Word choices = program.random.next();
  const bool stays = program.random.one_in(3);
  const int steps = static_cast<int>(program.random.below(8));
  // Without CLONE_VM the child has a copy of the stack and may go on here.
  const Word allowed =
      flags & ~Word{0xff} & ~Word{CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_SETTLS | CLONE_FILES};
  const long child = ::syscall(__NR_clone, allowed | SIGCHLD, 0, 0, 0, 0);
  ++program.counters->made[__NR_clone];
  if (child == 0) {
    ++program.depth;
    run_steps(program, Random(choices), steps);
    if (stays) linger();
    ::_exit(0);
  }
  if (program.trace) show(program, __NR_clone, {allowed, 0, 0, 0, 0, 0}, child, errno);
  if (child < 0) return -1;
  ++program.counters->succeeded[__NR_clone];
  program.children[program.random.below(program.children.size())] = static_cast<pid_t>(child);
  return child;
}

Word Random::next() {
  state_ += 0x9e3779b97f4a7c15;
  Word mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

}  // namespace fuzz

int main(int count, char** words) {
  fuzz::Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const char* value = i + 1 < count ? words[i + 1] : "";
    if (word == "--canary") fuzz::be_canary();
    if (word == "--check-table") return fuzz::check_against_reviewed_calls();
    if (word == "--trace") {
      options.trace = true;
      continue;
    }
    if (word == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (word == "--steps") options.steps = static_cast<int>(std::strtol(value, nullptr, 10));
    if (word == "--only") options.only = fuzz::numbers(value);
    if (word == "--sibling") options.sibling = static_cast<pid_t>(std::strtol(value, nullptr, 10));
    ++i;
  }
  return fuzz::run(options);
}
