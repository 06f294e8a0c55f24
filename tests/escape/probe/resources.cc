// resources.cc: attempts to take more than was given, or to stay longer: forks, threads, memory, disk, output, daemons.
// Invariant: every attempt is bounded by its own count, size and clock, and its children die with it unless they are
// the attempt.
// Not here: whether anything was left (the suite looks).
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

constexpr std::uint64_t kPatience = 3000;  // milliseconds
constexpr std::size_t kMegabyte = 1U << 20;

std::string count(long n, const char* of) { return std::to_string(n) + " " + of; }

// Ends with its parent, and on its own after a while should that fail.
void become_bounded_child() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::alarm(10);
}

void end_all(const std::vector<pid_t>& children) {
  for (pid_t child : children) ::kill(child, SIGKILL);
  for (pid_t child : children) ::waitpid(child, nullptr, 0);
}

Result many_forks(const Args& args) {
  long wanted = number(args[0]);
  std::vector<pid_t> children;
  children.reserve(static_cast<std::size_t>(wanted));
  std::uint64_t start = now_ms();
  while (static_cast<long>(children.size()) < wanted && now_ms() - start < kPatience) {
    pid_t child = ::fork();
    if (child == 0) {
      become_bounded_child();
      for (;;) ::pause();
    }
    if (child < 0) {
      std::string why = errno_name(errno);
      end_all(children);
      return denied(why + " after " + count(static_cast<long>(children.size()), "children"));
    }
    children.push_back(child);
  }
  end_all(children);
  return reached(count(static_cast<long>(children.size()), "children at once"));
}

void* wait_forever(void*) {
  for (;;) ::pause();
}

Result many_threads(const Args& args) {
  long wanted = number(args[0]);
  pthread_attr_t small;
  ::pthread_attr_init(&small);
  ::pthread_attr_setstacksize(&small, 16384);
  std::uint64_t start = now_ms();
  for (long n = 0; n < wanted; ++n) {
    pthread_t thread;
    int error = ::pthread_create(&thread, &small, wait_forever, nullptr);
    if (error != 0) return denied(errno_name(error) + " after " + count(n, "threads"));
    if (now_ms() - start > kPatience) return reached(count(n, "threads in three seconds"));
  }
  return reached(count(wanted, "threads"));
}

Result many_descriptors(const Args& args) {
  long wanted = number(args[0]);
  for (long n = 0; n < wanted; ++n) {
    if (::open("/dev/null", O_RDONLY) < 0) return denied(errno_name(errno) + " after " + count(n, "descriptors"));
  }
  return reached(count(wanted, "descriptors"));
}

bool take_memory(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* page = static_cast<volatile char*>(memory);
  for (std::size_t at = 0; at < bytes; at += 4096) page[at] = 1;
  return true;
}

Result memory_bomb(const Args& args) {
  auto megabytes = static_cast<std::size_t>(number(args[0]));
  for (std::size_t n = 0; n < megabytes; n += 4) {
    if (!take_memory(4 * kMegabyte)) return denied(errno_name(errno) + " after " + count(static_cast<long>(n), "MiB"));
  }
  nap_ms(args.size() > 1 ? number(args[1]) : 0);
  return reached(count(static_cast<long>(megabytes), "MiB"));
}

// Many processes that are each modest.
Result memory_by_many(const Args& args) {
  long processes = number(args[0]);
  auto megabytes = static_cast<std::size_t>(number(args[1]));
  int ready[2];
  if (::pipe(ready) < 0) return cannot("pipe");
  std::vector<pid_t> children;
  for (long n = 0; n < processes; ++n) {
    pid_t child = ::fork();
    if (child == 0) {
      become_bounded_child();
      bool ok = take_memory(megabytes * kMegabyte);
      if (::write(ready[1], ok ? "y" : "n", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    if (child < 0) return denied();
    children.push_back(child);
  }
  ::close(ready[1]);
  long good = 0;
  char answer = 0;
  // Those that were killed say nothing; the others keep the pipe open.
  pollfd waiting{ready[0], POLLIN, 0};
  for (long n = 0; n<processes&& ::poll(&waiting, 1, 2000)> 0 && ::read(ready[0], &answer, 1) == 1; ++n) {
    good += answer == 'y' ? 1 : 0;
  }
  // The watch, where one is needed, gets its chance to see them all at once.
  nap_ms(args.size() > 2 ? number(args[2]) : 0);
  long alive = 0;
  for (pid_t child : children) alive += ::waitpid(child, nullptr, WNOHANG) == 0 ? 1 : 0;
  end_all(children);
  if (good < processes || alive < processes) return denied(count(alive, "processes got their memory"));
  return reached(count(processes, "processes with ") + args[1] + " MiB each");
}

Result fill_descriptor(int fd, long megabytes) {
  static char block[kMegabyte];
  std::memset(block, 'x', sizeof block);
  for (long n = 0; n < megabytes; ++n) {
    if (::write(fd, block, sizeof block) < static_cast<ssize_t>(sizeof block)) {
      return denied(errno_name(errno) + " after " + count(n, "MiB"));
    }
  }
  return reached("wrote " + count(megabytes, "MiB"));
}

Result fill_file(const Args& args) {
  ::signal(SIGXFSZ, SIG_IGN);
  int fd = ::open(args[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return cannot("open " + args[0]);
  return fill_descriptor(fd, number(args[1]));
}

// A file may be grown without writing.
Result grow_file(const Args& args) {
  ::signal(SIGXFSZ, SIG_IGN);
  int fd = ::open(args[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return cannot("open " + args[0]);
  if (::fallocate(fd, 0, 0, number(args[1]) * static_cast<off_t>(kMegabyte)) < 0) return denied();
  return reached("grew it to " + args[1] + " MiB");
}

Result fill_memory_file(const Args& args) {
  auto fd = static_cast<int>(::syscall(SYS_memfd_create, "probe", 0));
  if (fd < 0) return cannot("memfd_create");
  Result result = fill_descriptor(fd, number(args[0]));
  if (result.answer == Answer::kReached) nap_ms(args.size() > 1 ? number(args[1]) : 0);
  return result;
}

// Onto stderr: stdout carries the answer.
Result flood(const Args& args) {
  Result result = fill_descriptor(2, number(args[0]));
  if (result.answer == Answer::kDenied) return denied("the pipe was closed");
  return result;
}

Result ignore_signals(const Args& args) {
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) ::signal(signal, SIG_IGN);
  ::raise(SIGTERM);
  nap_ms(number(args[0]));
  return reached("lived through SIGTERM");
}

// args: PATH, milliseconds to live. Detached from parent, session, terminal and streams; it writes as long as it lives.
Result outlive(const Args& args) {
  pid_t child = ::fork();
  if (child < 0) return denied();
  if (child == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_IGN);
    for (int fd = 0; fd < 3; ++fd) ::close(fd);
    int fd = ::open(args[0].c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    for (std::uint64_t start = now_ms(); now_ms() - start < static_cast<std::uint64_t>(number(args[1]));) {
      if (::write(fd, ".", 1) != 1) ::_exit(1);
      nap_ms(10);
    }
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  for (int n = 0; n < 100; ++n) {
    struct stat info {};
    if (::stat(args[0].c_str(), &info) == 0 && info.st_size > 0) return reached("left a daemon behind");
    nap_ms(10);
  }
  return denied("the daemon never wrote");
}

// args: milliseconds after which a helper continues the tree, or "never".
Result stop_tree(const Args& args) {
  std::vector<pid_t> children;
  for (int n = 0; n < 5; ++n) {
    pid_t child = ::fork();
    if (child < 0) return denied();
    if (child == 0) {
      ::alarm(20);
      ::raise(SIGSTOP);
      ::_exit(0);
    }
    children.push_back(child);
  }
  pid_t main_process = ::getpid();
  if (args[0] != "never") {
    pid_t helper = ::fork();
    if (helper == 0) {
      nap_ms(number(args[0]));
      ::kill(main_process, SIGCONT);
      ::_exit(0);
    }
    children.push_back(helper);
  }
  ::alarm(20);
  ::raise(SIGSTOP);
  end_all(children);
  return reached("stopped and went on");
}

// args: processes, milliseconds of CPU each
Result burn(const Args& args) {
  std::vector<pid_t> children;
  for (long n = 0; n < number(args[0]); ++n) {
    pid_t child = ::fork();
    if (child < 0) return denied();
    if (child == 0) {
      become_bounded_child();
      ::signal(SIGXCPU, SIG_IGN);
      timespec used{};
      volatile unsigned work = 0;
      do {
        for (unsigned i = 0; i < 100000; ++i) work = work + i;
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
      } while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < number(args[1]));
      ::_exit(0);
    }
    children.push_back(child);
  }
  long whole = 0;
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    whole += WIFEXITED(status) ? 1 : 0;
  }
  if (whole < static_cast<long>(children.size())) return denied(count(whole, "processes got their time"));
  return reached(args[0] + " x " + args[1] + " ms of CPU");
}

constexpr Attempt kAttempts[] = {
    {"many-forks", 1, many_forks},
    {"many-threads", 1, many_threads},
    {"many-descriptors", 1, many_descriptors},
    {"memory-bomb", 1, memory_bomb},
    {"memory-by-many", 2, memory_by_many},
    {"fill-file", 2, fill_file},
    {"grow-file", 2, grow_file},
    {"fill-memfd", 1, fill_memory_file},
    {"flood", 1, flood},
    {"ignore-signals", 1, ignore_signals},
    {"outlive", 2, outlive},
    {"stop-tree", 1, stop_tree},
    {"burn", 2, burn},
};

}  // namespace

std::span<const Attempt> resource_attempts() { return kAttempts; }

}  // namespace probe
