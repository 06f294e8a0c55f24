// file_clock.cc: compares the change time of a new file with the clock of this host before and after.
#include "backend/linux/protect/file_clock.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <string>

#include "backend/linux/protect/git_disarm.h"
#include "backend/linux/protect/quarantine.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::int64_t kTick = 20'000'000;  // two ticks of the coarse clock at 100 Hz

std::int64_t as_nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

std::int64_t coarse_now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return as_nanoseconds(time);
}

// Those whose files this kernel itself marks.
bool has_our_clock(int directory) {
  constexpr auto kLocal =
      std::to_array<std::uint32_t>({EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, TMPFS_MAGIC, F2FS_SUPER_MAGIC,
                                    MSDOS_SUPER_MAGIC, EXFAT_SUPER_MAGIC});
  struct statfs info {};
  return ::fstatfs(directory, &info) == 0 &&
         std::find(kLocal.begin(), kLocal.end(), static_cast<std::uint32_t>(info.f_type)) != kLocal.end();
}

// The change time of something new in the directory; false with errno.
bool fresh_time(int directory, timespec& time) {
  struct stat info {};
  const auto file = sys::Fd::adopt(::openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) {
    if (::fstat(file.raw(), &info) != 0) return false;
    time = info.st_ctim;
    return true;
  }
  const std::string name = ".pinfold-clock-" + random_digits();
  if (::mkdirat(directory, name.c_str(), 0700) != 0) return false;
  const int seen = ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW);
  const int error = errno;
  ::unlinkat(directory, name.c_str(), AT_REMOVEDIR);
  errno = error;
  time = info.st_ctim;
  return seen == 0;
}

}  // namespace

FileClock measure_clock(int directory) {
  if (has_our_clock(directory)) return {};
  const std::int64_t before = coarse_now();
  timespec fresh{};
  if (!fresh_time(directory, fresh)) return {0, errno};
  // Without a difference, the time is not before that of the request, however coarse it is.
  if (as_nanoseconds(latest_moment(fresh)) + kTick >= before) return {};
  return {coarse_now() - as_nanoseconds(fresh) + kTick, 0};
}

}  // namespace pinfold::backend::on_linux
