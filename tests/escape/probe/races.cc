// races.cc: attempts in which one thread swaps what another is being judged on: a link, a directory, a name in memory.
// Invariant: bounded by a million tries and by the milliseconds given, whichever comes first.
// Not here: swaps made from the host's side (the suite's scenarios).
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "probe.h"

namespace probe {
namespace {

constexpr long kTries = 1000000;

// Runs `swap` on one thread while `attempt` is repeated; stops at the first attempt that returns true.
template <typename Swap, typename Try>
bool race(long milliseconds, Swap swap, Try attempt, long& tried) {
  std::atomic<bool> stop{false};
  std::thread swapper([&] {
    while (!stop.load(std::memory_order_relaxed)) swap();
  });
  bool won = false;
  std::uint64_t end = now_ms() + static_cast<std::uint64_t>(milliseconds);
  for (tried = 0; tried < kTries && !won; ++tried) {
    won = attempt();
    if ((tried & 255) == 0 && now_ms() > end) break;
  }
  stop = true;
  swapper.join();
  return won;
}

std::string lost(long tried) { return "in " + std::to_string(tried) + " tries never"; }

// args: LINK GOOD SECRET NEEDLE MS: the link points to the one, then to the other.
Result swap_link(const Args& args) {
  std::string spare = args[0] + ".next";
  auto point_to = [&](const std::string& where) {
    ::unlink(spare.c_str());
    if (::symlink(where.c_str(), spare.c_str()) == 0) ::rename(spare.c_str(), args[0].c_str());
  };
  point_to(args[1]);
  long tried = 0;
  char seen[256] = {};
  bool won = race(
      number(args[4]),
      [&] {
        point_to(args[2]);
        point_to(args[1]);
      },
      [&] {
        int fd = ::open(args[0].c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return false;
        ssize_t got = ::read(fd, seen, sizeof seen - 1);
        ::close(fd);
        if (got < 0) return false;
        seen[got] = '\0';
        return std::strstr(seen, args[3].c_str()) != nullptr;
      },
      tried);
  ::unlink(args[0].c_str());
  ::unlink(spare.c_str());
  return won ? reached(printable(seen, 100)) : denied(lost(tried));
}

// args: DIR ELSEWHERE MS: the directory is exchanged with a link to ELSEWHERE while a file is being made below it.
Result swap_directory(const Args& args) {
  std::string link = args[0] + ".link";
  ::mkdir(args[0].c_str(), 0755);
  if (::symlink(args[1].c_str(), link.c_str()) < 0) return cannot("symlink");
  std::string inside = args[0] + "/planted";
  std::string outside = args[1] + "/planted";
  long tried = 0;
  bool won = race(
      number(args[2]),
      [&] { ::syscall(SYS_renameat2, AT_FDCWD, args[0].c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE); },
      [&] {
        int fd = ::open(inside.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        if (fd < 0) return false;
        char where[4096] = {};
        std::string name = "/proc/self/fd/" + std::to_string(fd);
        ssize_t size = ::readlink(name.c_str(), where, sizeof where - 1);
        ::close(fd);
        ::unlink(inside.c_str());
        return size > 0 && outside == where;
      },
      tried);
  // Whichever is the link now.
  ::unlink(args[0].c_str());
  ::unlink(link.c_str());
  ::unlink((args[0] + "/planted").c_str());
  ::unlink((link + "/planted").c_str());
  ::rmdir(args[0].c_str());
  ::rmdir(link.c_str());
  return won ? reached("made a file in " + args[1]) : denied(lost(tried));
}

// args: DIR HARMLESS PROTECTED MS: the name is rewritten in memory while the kernel, or a watcher, reads it.
Result swap_name(const Args& args) {
  // Both names have the same length, so that one memcpy makes the other.
  if (args[1].size() != args[2].size()) return cannot("the names differ in length");
  std::string path = args[0] + "/" + args[1];
  std::string wanted = args[0] + "/" + args[2];
  std::size_t at = args[0].size() + 1;
  ::unlink(path.c_str());
  volatile char* name = path.data() + at;
  auto write_name = [&](const std::string& from) {
    for (std::size_t i = 0; i < from.size(); ++i) name[i] = from[i];
  };
  long tried = 0;
  bool won = race(
      number(args[3]),
      [&] {
        write_name(args[2]);
        write_name(args[1]);
      },
      [&] {
        int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
        if (fd < 0) {
          if (errno == EEXIST) ::unlink((args[0] + "/" + args[1]).c_str());
          return false;
        }
        // Which of the two it was: a protected name may exist all along, as a placeholder.
        char where[4096] = {};
        ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), where, sizeof where - 1);
        ::close(fd);
        if (size > 0 && wanted == where) return true;
        ::unlink((args[0] + "/" + args[1]).c_str());
        return false;
      },
      tried);
  write_name(args[1]);
  ::unlink(path.c_str());
  return won ? reached("made " + args[2]) : denied(lost(tried));
}

// args: DIR HARMLESS PROTECTED MS: the same with a directory. One call makes one of them, and the harmless one is there
// already for most, so that a call that was let through for it has an innocent reason to make nothing.
Result swap_directory_name(const Args& args) {
  if (args[1].size() != args[2].size()) return cannot("the names differ in length");
  std::string path = args[0] + "/" + args[1];
  const std::string wanted = args[0] + "/" + args[2];
  volatile char* name = path.data() + args[0].size() + 1;
  auto write_name = [&](const std::string& from) {
    for (std::size_t i = 0; i < from.size(); ++i) name[i] = from[i];
  };
  long tried = 0;
  bool won = race(
      number(args[3]),
      [&] {
        write_name(args[2]);
        write_name(args[1]);
      },
      [&] {
        ::mkdir(path.c_str(), 0755);
        struct stat info {};
        if (::stat(wanted.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return true;
        if (tried % 4 == 0) ::rmdir((args[0] + "/" + args[1]).c_str());
        return false;
      },
      tried);
  ::rmdir((args[0] + "/" + args[1]).c_str());
  return won ? reached("made " + args[2]) : denied(lost(tried));
}

// args: DIR HARMLESS PROTECTED MS: a directory is moved there, and its old name is made again, so that the call which
// made it seems to have made the new one.
Result swap_target_of_move(const Args& args) {
  if (args[1].size() != args[2].size()) return cannot("the names differ in length");
  std::string path = args[0] + "/" + args[1];
  const std::string harmless = path;
  const std::string wanted = args[0] + "/" + args[2];
  const std::string source = args[0] + "/source";
  volatile char* name = path.data() + args[0].size() + 1;
  auto write_name = [&](const std::string& from) {
    for (std::size_t i = 0; i < from.size(); ++i) name[i] = from[i];
  };
  long tried = 0;
  bool won = race(
      number(args[3]),
      [&] {
        write_name(args[2]);
        write_name(args[1]);
      },
      [&] {
        ::mkdir(source.c_str(), 0755);
        ::rename(source.c_str(), path.c_str());
        ::mkdir(source.c_str(), 0755);
        struct stat info {};
        if (::stat(wanted.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return true;
        ::rmdir(harmless.c_str());
        return false;
      },
      tried);
  ::rmdir(harmless.c_str());
  ::rmdir(source.c_str());
  return won ? reached("moved to " + args[2]) : denied(lost(tried));
}

// Waits at least this long without giving up the processor.
void spin(std::chrono::microseconds time) {
  for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) {
  }
}

bool make_git_name(const std::string& name, const std::string& path) {
  if (name != "HEAD") return ::mkdir(path.c_str(), 0755) == 0;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  const bool written = fd >= 0 && ::write(fd, "ref: refs/heads/main\n", 21) == 21;
  if (fd >= 0) ::close(fd);
  return written;
}

// args: DIR: makes `refs`, `objects` and `HEAD` in it; the first letter is changed while the call runs. The long delays
// come first: then a watcher that reads the name early has seen another one. The last try makes the name plainly.
Result swap_git_names(const Args& args) {
  constexpr int kLongest = 300;  // microseconds
  constexpr int kTriesOfOne = 10;
  for (const std::string name : {"refs", "objects", "HEAD"}) {
    const std::string wanted = args[0] + "/" + name;
    std::string path = wanted;
    const std::size_t at = args[0].size() + 1;
    volatile char* letter = path.data() + at;
    bool made = false;
    for (int i = kLongest / 10 * kTriesOfOne; !made && i >= 0; --i) {
      *letter = 'x';
      const std::string harmless = path;
      std::atomic<int> stage{0};
      std::thread swapper([&] {
        stage = 1;
        while (stage != 2) {
        }
        spin(std::chrono::microseconds(i / kTriesOfOne * 10));
        *letter = wanted[at];
      });
      while (stage != 1) {
      }
      stage = 2;
      make_git_name(name, path);
      swapper.join();
      struct stat info {};
      made = ::lstat(wanted.c_str(), &info) == 0;
      if (!made && ::unlink(harmless.c_str()) != 0) ::rmdir(harmless.c_str());
    }
    if (!made && !make_git_name(name, wanted)) return denied("never made " + name);
  }
  return reached("made all three");
}

// args: DIR PROTECTED MS: makes the name by every door in turn, as fast as it can, without a swap.
Result hammer_name(const Args& args) {
  std::string wanted = args[0] + "/" + args[1];
  std::string source = args[0] + "/source";
  std::uint64_t end = now_ms() + static_cast<std::uint64_t>(number(args[2]));
  long tried = 0;
  bool won = false;
  for (; tried < kTries && !won && now_ms() < end; ++tried) {
    int fd = ::open(source.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    if (fd >= 0) ::close(fd);
    switch (tried % 6) {
      case 0: won = ::rename(source.c_str(), wanted.c_str()) == 0; break;
      case 1: won = ::link(source.c_str(), wanted.c_str()) == 0; break;
      case 2: won = ::symlink("source", wanted.c_str()) == 0; break;
      case 3: won = ::mkdir(wanted.c_str(), 0755) == 0; break;
      case 4: won = ::mknod(wanted.c_str(), S_IFREG | 0755, 0) == 0; break;
      default: won = ::syscall(SYS_open, wanted.c_str(), O_WRONLY | O_CREAT, 0755) >= 0; break;
    }
  }
  ::unlink(source.c_str());
  return won ? reached("made " + args[1]) : denied(lost(tried));
}

constexpr Attempt kAttempts[] = {
    {"race-link", 5, swap_link},
    {"race-directory", 3, swap_directory},
    {"race-name", 4, swap_name},
    {"race-directory-name", 4, swap_directory_name},
    {"hammer-name", 3, hammer_name},
    {"race-git", 1, swap_git_names},
    {"race-moved-directory", 4, swap_target_of_move},
};

}  // namespace

std::span<const Attempt> race_attempts() { return kAttempts; }

}  // namespace probe
