// themes_darwin.cc: what can be tried on macOS: what every system can, and to reach other processes.
// Invariant: processes are only asked about, never changed. Not here: what needs Linux (beside this), the list of rows
// (tests/platforms/checklist).
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/clonefile.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

Result signal_process(const Args& args) {
  if (::kill(target(args[0]), 0) < 0) return denied();
  return reached("it can be signalled");
}

// Arguments and environment of another process of the same user.
Result arguments_of(const Args& args) {
  int name[] = {CTL_KERN, KERN_PROCARGS2, target(args[0])};
  std::vector<char> buffer(1 << 20);
  std::size_t size = buffer.size();
  if (::sysctl(name, 3, buffer.data(), &size, nullptr, 0) < 0) return denied();
  if (size <= sizeof(int)) return denied("empty");
  return reached(printable({buffer.data() + sizeof(int), size - sizeof(int)}, 60));
}

Result list_processes(const Args&) {
  int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_ALL, 0};
  std::size_t size = 0;
  if (::sysctl(name, 4, nullptr, &size, nullptr, 0) < 0) return denied();
  return reached("the list of processes");
}

Result exchange(const Args& args) {
  if (::renamex_np(args[0].c_str(), args[1].c_str(), RENAME_SWAP) < 0) return denied();
  return reached("exchanged");
}

// A copy that shares its blocks: reads without read().
Result clone_then_read(const Args& args) {
  if (::clonefile(args[0].c_str(), args[1].c_str(), 0) < 0) return denied();
  return read_path(args[1]);
}

// By volume and file number instead of a path.
Result read_by_number(const Args& args) {
  struct stat info {};
  if (::stat(args[0].c_str(), &info) < 0) return denied();
  return read_path("/.vol/" + std::to_string(info.st_dev) + "/" + std::to_string(info.st_ino));
}

constexpr Attempt kAttempts[] = {
    {"signal", 1, signal_process}, {"arguments-of", 1, arguments_of},       {"list-processes", 0, list_processes},
    {"exchange", 2, exchange},     {"clone-then-read", 2, clone_then_read}, {"read-by-number", 1, read_by_number},
};

}  // namespace

std::vector<std::span<const Attempt>> themes() {
  return {file_attempts(), environment_attempts(), socket_attempts(), kAttempts};
}

std::string errno_name(int number) { return std::strerror(number); }

}  // namespace probe
