// handles.cc: attempts on files by calls that only Linux has: handles, exchanged names, files without a name.
// Invariant: only files of the test's own world are named.
// Not here: what every system can try (files.cc).
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "probe.h"

namespace probe {
namespace {

// Proves that a directory can be written, with a file that never gets a name.
Result unnamed_file_in(const Args& args) {
  int fd = ::open(args[0].c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return denied();
  ::close(fd);
  return reached("opened an unnamed file for writing");
}

Result exchange(const Args& args) {
  if (::syscall(SYS_renameat2, AT_FDCWD, args[0].c_str(), AT_FDCWD, args[1].c_str(), RENAME_EXCHANGE) < 0) {
    return denied();
  }
  return reached("exchanged");
}

// A file handle needs no path: the old way out of a container's root.
Result open_by_handle(const Args& args) {
  alignas(file_handle) char storage[sizeof(file_handle) + MAX_HANDLE_SZ] = {};
  auto* handle = new (storage) file_handle;
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount_id = 0;
  if (::syscall(SYS_name_to_handle_at, AT_FDCWD, args[0].c_str(), handle, &mount_id, 0) < 0) return denied();
  int root = ::open(args[1].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return cannot("open " + args[1]);
  auto fd = static_cast<int>(::syscall(SYS_open_by_handle_at, root, handle, O_RDONLY | O_CLOEXEC));
  if (fd < 0) return denied();
  return read_descriptor(fd);
}

constexpr Attempt kAttempts[] = {
    {"unnamed-file-in", 1, unnamed_file_in},
    {"exchange", 2, exchange},
    {"open-by-handle", 2, open_by_handle},
};

}  // namespace

std::span<const Attempt> handle_attempts() { return kAttempts; }

}  // namespace probe
