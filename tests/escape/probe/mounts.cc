// mounts.cc: attempts on the mount table and the root, by the old and the new calls.
// Invariant: the suite runs the bare control in a mount namespace of its own, so the host's table never changes.
// Not here: getting such a namespace from inside (namespaces.cc).
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "probe.h"

// <sys/mount.h> and <linux/mount.h> define the same names differently; the old calls are made raw.
namespace probe {
namespace {

constexpr unsigned long kRemount = 32;
constexpr unsigned long kBind = 4096;
constexpr int kDetach = 2;

long old_mount(const char* from, const char* at, const char* type, unsigned long flags) {
  return ::syscall(SYS_mount, from, at, type, flags, nullptr);
}

Result mount_tmpfs(const Args& args) {
  ::mkdir(args[0].c_str(), 0755);
  if (old_mount("none", args[0].c_str(), "tmpfs", 0) < 0) return denied();
  return reached("mounted a tmpfs");
}

Result mount_proc(const Args& args) {
  ::mkdir(args[0].c_str(), 0755);
  if (old_mount("proc", args[0].c_str(), "proc", 0) < 0) return denied();
  return reached("mounted a proc");
}

Result mount_bind(const Args& args) {
  ::mkdir(args[1].c_str(), 0755);
  if (old_mount(args[0].c_str(), args[1].c_str(), nullptr, kBind) < 0) return denied();
  return reached("bound " + args[0]);
}

Result remount_writable(const Args& args) {
  if (old_mount(nullptr, args[0].c_str(), nullptr, kBind | kRemount) < 0) return denied();
  return reached("remounted " + args[0] + " writable");
}

Result unmount(const Args& args) {
  if (::syscall(SYS_umount2, args[0].c_str(), kDetach) < 0) return denied();
  return reached("unmounted " + args[0]);
}

Result open_file_system(const Args& args) {
  if (::syscall(SYS_fsopen, args[0].c_str(), 0) < 0) return denied();
  return reached("a file system context for " + args[0]);
}

Result mount_new_api(const Args& args) {
  auto context = static_cast<int>(::syscall(SYS_fsopen, "tmpfs", 0));
  if (context < 0) return denied();
  if (::syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0) return denied();
  auto mount = static_cast<int>(::syscall(SYS_fsmount, context, 0, 0));
  if (mount < 0) return denied();
  ::mkdir(args[0].c_str(), 0755);
  if (::syscall(SYS_move_mount, mount, "", AT_FDCWD, args[0].c_str(), MOVE_MOUNT_F_EMPTY_PATH) < 0) return denied();
  return reached("mounted a tmpfs by the new calls");
}

Result pick_file_system(const Args& args) {
  if (::syscall(SYS_fspick, AT_FDCWD, args[0].c_str(), 0) < 0) return denied();
  return reached("picked " + args[0] + " for reconfiguration");
}

Result clone_tree(const Args& args) {
  long tree = ::syscall(SYS_open_tree, AT_FDCWD, args[0].c_str(), OPEN_TREE_CLONE | AT_RECURSIVE);
  if (tree < 0) return denied();
  return reached("cloned the mounts below " + args[0]);
}

Result move_tree(const Args& args) {
  ::mkdir(args[1].c_str(), 0755);
  if (::syscall(SYS_move_mount, AT_FDCWD, args[0].c_str(), AT_FDCWD, args[1].c_str(), 0) < 0) return denied();
  return reached("moved the mount " + args[0]);
}

Result set_writable(const Args& args) {
  mount_attr attributes{};
  attributes.attr_clr = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (::syscall(SYS_mount_setattr, AT_FDCWD, args[0].c_str(), 0, &attributes, sizeof attributes) < 0) return denied();
  return reached("made the mount " + args[0] + " writable");
}

Result pivot(const Args& args) {
  ::mkdir(args[0].c_str(), 0755);
  // Onto itself, so that it is a mount point where binding is possible at all.
  old_mount(args[0].c_str(), args[0].c_str(), nullptr, kBind);
  std::string old = args[0] + "/old";
  ::mkdir(old.c_str(), 0755);
  if (::syscall(SYS_pivot_root, args[0].c_str(), old.c_str()) < 0) return denied();
  return reached("another root");
}

Result change_root(const Args& args) {
  if (::chroot(args[0].c_str()) < 0) return denied();
  return reached("another root");
}

// Leaves a chroot by a descriptor from before: works wherever chroot does.
Result chroot_and_out(const Args& args) {
  int here = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ::mkdir(args[0].c_str(), 0755);
  if (::chroot(args[0].c_str()) < 0) return denied();
  if (::fchdir(here) < 0) return denied();
  for (int i = 0; i < 64; ++i) {
    if (::chdir("..") < 0) return denied();
  }
  return read_path(args[1].substr(1));
}

constexpr Attempt kAttempts[] = {
    {"mount-tmpfs", 1, mount_tmpfs},
    {"mount-proc", 1, mount_proc},
    {"mount-bind", 2, mount_bind},
    {"remount-writable", 1, remount_writable},
    {"umount", 1, unmount},
    {"fsopen", 1, open_file_system},
    {"fsmount", 1, mount_new_api},
    {"fspick", 1, pick_file_system},
    {"open-tree", 1, clone_tree},
    {"move-mount", 2, move_tree},
    {"mount-setattr", 1, set_writable},
    {"pivot-root", 1, pivot},
    {"chroot", 1, change_root},
    {"chroot-and-out", 2, chroot_and_out},
};

}  // namespace

std::span<const Attempt> mount_attempts() { return kAttempts; }

}  // namespace probe
