// tree_usage.cc: sums /proc/N/status and /proc/N/stat over the sandbox.
// Invariant: counts memory private to each process, and shared memory once; pages of files belong to the host's cache.
#include "backend/linux/limits/tree_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "sys/fd.h"

namespace pinfold::backend::on_linux {
namespace {

using ProcessUsage = TreeMeter::ProcessUsage;
using Processes = TreeMeter::Processes;
using Text = std::array<char, 4096>;

constexpr std::uint64_t kNegligibleShared = 1 << 20;  // bytes of shared memory below which it is not measured further

bool read_text(int at, const std::string& path, Text& buffer) {
  auto fd = sys::Fd::adopt(::openat(at, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return false;
  ssize_t size = ::read(fd.raw(), buffer.data(), buffer.size() - 1);
  if (size <= 0) return false;
  buffer[static_cast<std::size_t>(size)] = '\0';
  return true;
}

// A line "Name:   12 kB".
std::uint64_t bytes_at(const Text& text, const char* name) {
  const char* at = std::strstr(text.data(), name);
  return at == nullptr ? 0 : std::strtoull(at + std::strlen(name), nullptr, 10) * 1024;
}

// The name in parentheses may hold anything: count fields from its last one.
const char* after_name(const char* stat) {
  const char* close = std::strrchr(stat, ')');
  return close == nullptr ? nullptr : close + 1;
}

bool read_usage(int proc, const std::string& directory, ProcessUsage& used) {
  Text text{};
  if (read_text(proc, directory + "/status", text)) {
    used.memory = bytes_at(text, "\nRssAnon:");
    used.shared = bytes_at(text, "\nRssShmem:");
  }
  const char* after = read_text(proc, directory + "/stat", text) ? after_name(text.data()) : nullptr;
  unsigned long times[4] = {};
  unsigned long long start_time = 0;
  if (after == nullptr ||
      std::sscanf(after, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu %*d %*d %*d %*d %llu",
                  &used.parent, &times[0], &times[1], &times[2], &times[3], &start_time) != 6)
    return false;
  used.own = times[0] + times[1];
  used.children = times[2] + times[3];
  used.start_time = start_time;
  return true;
}

// Memory that several processes share counts once: each is charged its share. Reading smaps_rollup walks all pages, so
// it is done only where shares can matter.
std::uint64_t shared_memory(int proc, const Processes& all) {
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  for (const auto& [process, used] : all) sum += used.shared, most = std::max(most, used.shared);
  if (sum == most || sum < kNegligibleShared) return sum;
  std::uint64_t shares = 0;
  for (const auto& [process, used] : all) {
    Text text{};
    if (used.shared > 0 && read_text(proc, std::to_string(process) + "/smaps_rollup", text))
      shares += bytes_at(text, "\nPss_Shmem:");
  }
  return std::max(shares, most);
}

bool is_below(const Processes& all, pid_t process, pid_t tree) {
  for (auto found = all.find(process); found != all.end(); found = all.find(found->second.parent))
    if (found->second.parent == tree) return true;
  return false;
}

}  // namespace

// The ticks of exited processes that no parent has accumulated.
std::uint64_t TreeMeter::lost_between(const Processes& now) const {
  const auto is_running = [&](pid_t process) {
    const auto before = last_.find(process);
    const auto found = now.find(process);
    return before != last_.end() && found != now.end() && found->second.start_time == before->second.start_time;
  };
  std::uint64_t lost = 0;
  std::unordered_map<pid_t, std::uint64_t> inherited;  // by the nearest ancestor that still runs
  for (const auto& [process, used] : last_) {
    if (is_running(process)) continue;
    pid_t ancestor = used.parent;
    while (!is_running(ancestor) && last_.count(ancestor) != 0) ancestor = last_.at(ancestor).parent;
    (is_running(ancestor) ? inherited[ancestor] : lost) += used.own + used.children;
  }
  for (const auto& [ancestor, ticks] : inherited) {
    const std::uint64_t taken = now.at(ancestor).children - last_.at(ancestor).children;
    lost += ticks - std::min(ticks, taken);
  }
  return lost;
}

std::optional<TreeUsage> TreeMeter::read(int proc, pid_t tree) {
  static const auto tick = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  int copy = ::openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  if (!stream) return std::nullopt;
  Processes all;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    ProcessUsage used;
    if (read_usage(proc, entry->d_name, used)) all[std::atoi(entry->d_name)] = used;
  }
  if (tree != 0) {
    Processes below;
    for (const auto& [process, used] : all)
      if (is_below(all, process, tree)) below[process] = used;
    all = std::move(below);
  }
  lost_ += lost_between(all);
  TreeUsage sum;
  std::uint64_t ticks = lost_;
  for (const auto& [process, used] : all) {
    if (tree != 0 || process != 1) ++sum.processes;
    sum.memory += used.memory;
    ticks += used.own + used.children;
  }
  sum.memory += shared_memory(proc, all);
  sum.cpu = std::chrono::milliseconds(ticks * 1000 / tick);
  last_ = std::move(all);
  return sum;
}

bool is_below(pid_t process, pid_t tree) {
  // The parent of a process that has just exited cannot be read: the search stops there and returns false.
  while (process > 1 && process != tree) {
    Text text{};
    const char* after =
        read_text(AT_FDCWD, "/proc/" + std::to_string(process) + "/stat", text) ? after_name(text.data()) : nullptr;
    if (after == nullptr || std::sscanf(after, " %*c %d", &process) != 1) return false;
    if (process == tree) return true;
  }
  return false;
}

}  // namespace pinfold::backend::on_linux
