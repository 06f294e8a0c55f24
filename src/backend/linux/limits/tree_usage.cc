// tree_usage.cc: sums /proc/N/status and /proc/N/stat over the sandbox.
// Invariant: what is private to each process, and shared memory once; pages of files are the host's cache.
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

using Seen = TreeMeter::Seen;
using Processes = TreeMeter::Processes;
using Text = std::array<char, 4096>;

constexpr std::uint64_t kFew = 1 << 20;  // bytes of shared memory that are not worth a closer look

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

bool look_at(int proc, const std::string& directory, Seen& seen) {
  Text text{};
  if (read_text(proc, directory + "/status", text)) {
    seen.memory = bytes_at(text, "\nRssAnon:");
    seen.shared = bytes_at(text, "\nRssShmem:");
  }
  const char* after = read_text(proc, directory + "/stat", text) ? after_name(text.data()) : nullptr;
  unsigned long times[4] = {};
  unsigned long long began = 0;
  if (after == nullptr ||
      std::sscanf(after, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu %*d %*d %*d %*d %llu",
                  &seen.parent, &times[0], &times[1], &times[2], &times[3], &began) != 6)
    return false;
  seen.own = times[0] + times[1];
  seen.children = times[2] + times[3];
  seen.began = began;
  return true;
}

// What several processes have in common counts once: each has its share of it. Going through all pages takes its time,
// and is done only where it may matter.
std::uint64_t shared_memory(int proc, const Processes& all) {
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  for (const auto& [process, seen] : all) sum += seen.shared, most = std::max(most, seen.shared);
  if (sum == most || sum < kFew) return sum;
  std::uint64_t shares = 0;
  for (const auto& [process, seen] : all) {
    Text text{};
    if (seen.shared > 0 && read_text(proc, std::to_string(process) + "/smaps_rollup", text))
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

// The ticks of those that are gone, as far as no parent has taken them over.
std::uint64_t TreeMeter::lost_between(const Processes& now) const {
  const auto still = [&](pid_t process) {
    const auto before = last_.find(process);
    const auto found = now.find(process);
    return before != last_.end() && found != now.end() && found->second.began == before->second.began;
  };
  std::uint64_t lost = 0;
  std::unordered_map<pid_t, std::uint64_t> owed;  // to the nearest ancestor that still is
  for (const auto& [process, seen] : last_) {
    if (still(process)) continue;
    pid_t heir = seen.parent;
    while (!still(heir) && last_.count(heir) != 0) heir = last_.at(heir).parent;
    (still(heir) ? owed[heir] : lost) += seen.own + seen.children;
  }
  for (const auto& [heir, ticks] : owed) {
    const std::uint64_t taken = now.at(heir).children - last_.at(heir).children;
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
    Seen seen;
    if (look_at(proc, entry->d_name, seen)) all[std::atoi(entry->d_name)] = seen;
  }
  if (tree != 0) {
    Processes below;
    for (const auto& [process, seen] : all)
      if (is_below(all, process, tree)) below[process] = seen;
    all = std::move(below);
  }
  lost_ += lost_between(all);
  TreeUsage sum;
  std::uint64_t ticks = lost_;
  for (const auto& [process, seen] : all) {
    if (tree != 0 || process != 1) ++sum.processes;
    sum.memory += seen.memory;
    ticks += seen.own + seen.children;
  }
  sum.memory += shared_memory(proc, all);
  sum.cpu = std::chrono::milliseconds(ticks * 1000 / tick);
  last_ = std::move(all);
  return sum;
}

bool is_below(pid_t process, pid_t tree) {
  // A process that ends meanwhile hands its children on: climbing stops there, and the answer is no.
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
