// shared_memory.cc: reads the number of threads, the parent and the page flags from /proc.
#include "backend/linux/notify/shared_memory.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sys/fd.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::uint64_t kPageSize = 4096;
constexpr std::uint64_t kFileOrShared = std::uint64_t{1} << 61;  // of /proc/PID/pagemap, since 3.5
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;

sys::Fd open_of(std::uint32_t thread, const char* file) {
  return sys::Fd::adopt(::open(("/proc/" + std::to_string(thread) + "/" + file).c_str(), O_RDONLY | O_CLOEXEC));
}

bool has_one_thread(std::uint32_t thread) {
  struct stat tasks {};
  // Two links, and one for each thread.
  return ::stat(("/proc/" + std::to_string(thread) + "/task").c_str(), &tasks) == 0 && tasks.st_nlink == 3;
}

// A child of vfork() has its parent's address space until it calls exec.
bool is_parents(std::uint32_t thread) {
  const sys::Fd file = open_of(thread, "stat");
  std::array<char, 512> text{};
  const ssize_t size = file.is_open() ? ::read(file.raw(), text.data(), text.size() - 1) : -1;
  const std::string_view line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t name_end = line.rfind(')');  // the name before it may contain any character
  if (name_end == std::string_view::npos || name_end + 4 >= line.size()) return true;
  const long parent = std::strtol(text.data() + name_end + 4, nullptr, 10);
  // 0: the parent is outside of this pid namespace. An error: it may not be examined, because it is not the caller's.
  return parent > 0 && ::syscall(SYS_kcmp, parent, thread, KCMP_VM, 0, 0) == 0;
}

bool has_private_pages(std::uint32_t thread, std::uint64_t address, std::size_t size) {
  const sys::Fd pages = open_of(thread, "pagemap");
  if (!pages.is_open()) return false;
  const std::uint64_t last = (address + std::max<std::size_t>(size, 1) - 1) / kPageSize;
  for (std::uint64_t page = address / kPageSize; page <= last; ++page) {
    std::uint64_t flags = 0;
    if (::pread(pages.raw(), &flags, sizeof flags, static_cast<off_t>(page * sizeof flags)) != sizeof flags)
      return false;
    if ((flags & kPresent) == 0 || (flags & kFileOrShared) != 0) return false;
  }
  return true;
}

}  // namespace

CallerMemory memory_at(std::uint32_t thread, std::uint64_t address, std::size_t size) {
  return has_one_thread(thread) && has_private_pages(thread, address, size) && !is_parents(thread)
             ? CallerMemory::kPrivate
             : CallerMemory::kShared;
}

}  // namespace pinfold::backend::on_linux
