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

}  // namespace

std::optional<TreeUsage> tree_usage(int proc) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  static const auto tick = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  int copy = ::openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  if (!stream) return std::nullopt;
  TreeUsage sum;
  std::uint64_t ticks = 0;
  std::array<char, 512> text{};
  while (const dirent* entry = ::readdir(stream.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    std::string directory = entry->d_name;
    if (directory != "1") ++sum.processes;
    unsigned long resident = 0;
    unsigned long shared = 0;
    if (read_text(proc, directory + "/statm", text) && std::sscanf(text.data(), "%*u %lu %lu", &resident, &shared) == 2)
      sum.memory += (resident - std::min(resident, shared)) * page;
    // The name in parentheses may hold anything: count fields from its last one. utime stime cutime cstime are 12th to
    // 15th from there.
    const char* after = read_text(proc, directory + "/stat", text) ? std::strrchr(text.data(), ')') : nullptr;
    unsigned long times[4] = {};
    if (after != nullptr && std::sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
                                        &times[0], &times[1], &times[2], &times[3]) == 4)
      for (unsigned long each : times) ticks += each;
  }
  sum.cpu = std::chrono::milliseconds(ticks * 1000 / tick);
  return sum;
}

}  // namespace pinfold::backend::on_linux
