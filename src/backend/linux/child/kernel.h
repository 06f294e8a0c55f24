// kernel.h: system calls that the C library of the oldest supported system does not wrap, and their constants.
// Not here: policy of any kind.
#pragma once

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

#ifndef LANDLOCK_ACCESS_FS_RESOLVE_UNIX
#define LANDLOCK_ACCESS_FS_RESOLVE_UNIX (1ULL << 16)
#endif

namespace pinfold::backend::on_linux::kernel {

// The attribute struct of ABI 6; older kernels accept it if the fields that they do not know are zero.
struct RulesetAttributes {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};
inline constexpr std::uint64_t kBindTcp = 1;
inline constexpr std::uint64_t kConnectTcp = 2;
inline constexpr std::uint64_t kScopeAbstractUnixSocket = 1;
inline constexpr std::uint64_t kScopeSignal = 2;

// The same walk in user space, where a seccomp filter around us answers openat2 with ENOSYS: opens each name on the way
// by itself and refuses links. A file system or mount that appears during the walk could have appeared before it as
// well.
inline int walk_no_links(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) noexcept {
  int here = -1;
  int error = 0;
  if (*path == '/') {
    if ((resolve & RESOLVE_BENEATH) != 0) error = EXDEV;
    here = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  } else {
    here = ::openat(at, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  if (here < 0) error = errno;
  while (error == 0) {
    while (*path == '/') ++path;
    std::size_t length = 0;
    while (path[length] != '\0' && path[length] != '/') ++length;
    char name[256];
    if (length >= sizeof name) error = ENAMETOOLONG;
    if (length == 2 && path[0] == '.' && path[1] == '.') error = EXDEV;
    if (error != 0) break;
    __builtin_memcpy(name, length == 0 ? "." : path, length == 0 ? 1 : length);
    name[length == 0 ? 1 : length] = '\0';
    path += length;
    const bool last = *path == '\0';
    auto how = last ? static_cast<int>(flags) | O_NOFOLLOW | O_CLOEXEC : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int next = ::openat(here, name, how);
    if (next < 0) error = errno;
    ::close(here);
    here = next;
    if (last) break;
  }
  if (error == 0 && (flags & O_PATH) != 0) {
    // O_PATH | O_NOFOLLOW opens a link itself: accepted only if the caller asked for that.
    char link[1];
    if ((flags & O_NOFOLLOW) == 0 && ::readlinkat(here, "", link, sizeof link) >= 0) error = ELOOP;
  }
  if (error == 0) return here;
  if (here >= 0) ::close(here);
  errno = error;
  return -1;
}

inline int open_no_links(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) noexcept {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  for (;;) {
    // EAGAIN: a rename raced with the walk; the kernel asks to try again.
    auto fd = static_cast<int>(::syscall(SYS_openat2, at, path, &how, sizeof how));
    if (fd >= 0) return fd;
    if (errno == ENOSYS) return walk_no_links(at, path, flags, resolve);
    if (errno != EAGAIN && errno != EINTR) return fd;
  }
}
// Clones a child that sends no signal at its end and that only a wait with __WALL reaps: the host program may ignore
// SIGCHLD, handle it, or reap any child it finds. Uses clone, not clone3: filters of containers, and Pinfold's own,
// answer clone3 with ENOSYS.
inline long clone_quietly(unsigned long flags, int& pidfd) noexcept {
  return ::syscall(SYS_clone, flags | CLONE_PIDFD, nullptr, &pidfd, nullptr, nullptr);
}

inline int open_tree(int at, const char* path, unsigned flags) noexcept {
  return static_cast<int>(::syscall(SYS_open_tree, at, path, flags));
}
inline int move_mount(int from, const char* from_path, int to, const char* to_path, unsigned flags) noexcept {
  return static_cast<int>(::syscall(SYS_move_mount, from, from_path, to, to_path, flags));
}
inline int mount_setattr(int at, const char* path, unsigned flags, mount_attr* attributes) noexcept {
  return static_cast<int>(::syscall(SYS_mount_setattr, at, path, flags, attributes, sizeof *attributes));
}
inline int fsopen(const char* type) noexcept { return static_cast<int>(::syscall(SYS_fsopen, type, FSOPEN_CLOEXEC)); }
inline int fsconfig(int fd, unsigned command, const char* key, const char* value) noexcept {
  return static_cast<int>(::syscall(SYS_fsconfig, fd, command, key, value, 0));
}
inline int fsmount(int fd, std::uint64_t attributes) noexcept {
  return static_cast<int>(::syscall(SYS_fsmount, fd, FSMOUNT_CLOEXEC, attributes));
}
inline int landlock_create(const RulesetAttributes* attributes, std::size_t size, unsigned flags) noexcept {
  return static_cast<int>(::syscall(SYS_landlock_create_ruleset, attributes, size, flags));
}
inline int landlock_add_path(int ruleset, int parent, std::uint64_t access) noexcept {
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = parent;
  return static_cast<int>(::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0));
}
inline int landlock_restrict(int ruleset) noexcept {
  return static_cast<int>(::syscall(SYS_landlock_restrict_self, ruleset, 0));
}

}  // namespace pinfold::backend::on_linux::kernel
