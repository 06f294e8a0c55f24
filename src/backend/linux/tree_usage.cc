// tree_usage.cc: sums /proc/N/statm and /proc/N/stat over the sandbox.
// Invariant: shared pages are not counted twice: only what is private to each process, plus files in the private tmp.
#include "backend/linux/tree_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>

#include "sys/fd.h"

namespace pinfold::backend::on_linux {
namespace {

bool read_text(int at, const std::string& path, std::array<char, 512>& buffer) {
  auto fd = sys::Fd::adopt(::openat(at, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return false;
  ssize_t size = ::read(fd.raw(), buffer.data(), buffer.size() - 1);
  if (size <= 0) return false;
  buffer[static_cast<std::size_t>(size)] = '\0';
  return true;
}

struct Seen {
  pid_t parent = 0;
  std::uint64_t memory = 0;
  std::uint64_t ticks = 0;
};

// The name in parentheses may hold anything: count fields from its last one.
const char* after_name(const char* stat) {
  const char* close = std::strrchr(stat, ')');
  return close == nullptr ? nullptr : close + 1;
}

bool look_at(int proc, const std::string& directory, Seen& seen) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::array<char, 512> text{};
  unsigned long resident = 0;
  unsigned long shared = 0;
  if (read_text(proc, directory + "/statm", text) && std::sscanf(text.data(), "%*u %lu %lu", &resident, &shared) == 2)
    seen.memory = (resident - std::min(resident, shared)) * page;
  const char* after = read_text(proc, directory + "/stat", text) ? after_name(text.data()) : nullptr;
  unsigned long times[4] = {};
  if (after == nullptr || std::sscanf(after, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
                                      &seen.parent, &times[0], &times[1], &times[2], &times[3]) != 5)
    return false;
  for (unsigned long each : times) seen.ticks += each;
  return true;
}

bool is_below(const std::unordered_map<pid_t, Seen>& all, pid_t process, pid_t tree) {
  for (auto found = all.find(process); found != all.end(); found = all.find(found->second.parent))
    if (found->second.parent == tree) return true;
  return false;
}

}  // namespace

std::optional<TreeUsage> tree_usage(int proc, pid_t tree) {
  static const auto tick = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  int copy = ::openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  if (!stream) return std::nullopt;
  std::unordered_map<pid_t, Seen> all;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    Seen seen;
    if (look_at(proc, entry->d_name, seen)) all[std::atoi(entry->d_name)] = seen;
  }
  TreeUsage sum;
  std::uint64_t ticks = 0;
  for (const auto& [process, seen] : all) {
    if (tree != 0 && !is_below(all, process, tree)) continue;
    if (tree != 0 || process != 1) ++sum.processes;
    sum.memory += seen.memory;
    ticks += seen.ticks;
  }
  sum.cpu = std::chrono::milliseconds(ticks * 1000 / tick);
  return sum;
}

bool is_below(pid_t process, pid_t tree) {
  // A process that ends meanwhile hands its children on: climbing stops there, and the answer is no.
  while (process > 1 && process != tree) {
    std::array<char, 512> text{};
    const char* after =
        read_text(AT_FDCWD, "/proc/" + std::to_string(process) + "/stat", text) ? after_name(text.data()) : nullptr;
    if (after == nullptr || std::sscanf(after, " %*c %d", &process) != 1) return false;
    if (process == tree) return true;
  }
  return false;
}

}  // namespace pinfold::backend::on_linux
