// open_how.cc: opens a path with openat2() and RESOLVE_* flags for every component.
#include "sys/open_how.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace pinfold::sys {

Fd open_under(int at, const char* path, std::uint64_t flags, std::uint64_t resolve, std::uint64_t mode) {
  constexpr int kMostTries = 10'000;  // renames in a tight loop make some tries fail, not all
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.mode = mode;
  how.resolve = resolve;
  for (int tried = 0;; ++tried) {
    const auto fd = static_cast<int>(::syscall(SYS_openat2, at, path, &how, sizeof how));
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR) || tried == kMostTries) return Fd::adopt(fd);
  }
}

}  // namespace pinfold::sys
