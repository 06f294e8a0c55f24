// live_mount.cc: clones the mounts in a copy of the host's mount namespace, then attaches them in the sandbox.
#include "backend/linux/child/live_mount.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "backend/linux/child/descriptor_path.h"
#include "backend/linux/child/kernel.h"
#include "backend/linux/child/name_change.h"
#include "backend/linux/child/packet.h"
#include "backend/linux/child/scoped_fd.h"

namespace pinfold::backend::on_linux::child {
namespace {

constexpr std::uint64_t kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

class LiveMounts {
 public:
  explicit LiveMounts(int reply) noexcept : reply_(reply) { ::umask(022); }

  [[noreturn]] void mount_live(const LiveMountRequest& request) noexcept {
    count_ = request.count;
    if (enter_host_copy(request.user) && clone_all(request.list) && assemble(request.list) &&
        enter_sandbox(request.mounts) && find_sandbox_tmpfs(request) && mount(request.list[0]))
      done(-1);
    give_up();
  }

  [[noreturn]] void open_file(const OpenFileRequest& request) noexcept {
    count_ = 1;
    if (!enter_host_copy(request.user) || !clone(request.file, trees_[0])) give_up();
    if (!drop_all_capabilities()) give_up(Stage::kCapabilities);
    int file = -1;
    if ((request.flags & O_TMPFILE) == O_TMPFILE)
      file = make_unnamed(request);
    else
      file = request.name != nullptr ? make_file(request) : open_again(trees_[0], request.flags);
    if (file < 0) give_up();
    if (request.size < 0) done(file);
    if (::ftruncate(file, request.size) != 0) error_ = errno;
    done(-1);
  }

  [[noreturn]] void make_writable(const MakeWritableRequest& request) noexcept {
    count_ = request.count;
    if (!enter_host_copy(request.user) || !clone_all(request.added)) give_up();
    for (std::size_t i = 0; i < count_; ++i)
      if (trees_[i] < 0 && !mask(request.added[i].directory, trees_[i])) give_up(Stage::kTmpfs);
    if (!open_own_descriptors() || !enter_sandbox(request.mounts)) give_up();
    ScopedFd mount_root(kernel::open_no_links(AT_FDCWD, request.directory, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
    if (mount_root.bad()) give_up(Stage::kOpenTarget);
    if (!is_mount_root(mount_root.raw(), request)) give_up();
    std::size_t attached = 0;
    while (attached < count_ && attach_new(request.added[attached], trees_[attached])) ++attached;
    mount_ = mount_id_of(mount_root.raw());
    if (attached == count_ && set_write_access(mount_root.raw(), WriteAccess::kAllowed)) done(-1);
    while (attached > 0) detach(trees_[--attached]);
    give_up();
  }

  [[noreturn]] void make_read_only(const MakeReadOnlyRequest& request) noexcept {
    if (!enter_user(request.user) || !enter_sandbox(request.mounts)) give_up();
    ScopedFd mount_root(kernel::open_no_links(AT_FDCWD, request.directory, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
    if (mount_root.bad()) give_up(Stage::kOpenTarget);
    errno = ESTALE;
    if (mount_id_of(mount_root.raw()) != request.mount) give_up(Stage::kCheck);
    if (set_write_access(mount_root.raw(), WriteAccess::kRefused)) done(-1);
    give_up();
  }

  [[noreturn]] void unmount_live(const UnmountRequest& request) noexcept {
    if (!open_own_descriptors() || !enter_user(request.user) || !enter_sandbox(request.mounts)) give_up();
    ScopedFd target(kernel::open_no_links(AT_FDCWD, request.target, O_PATH | O_NOFOLLOW, 0));
    if (target.bad()) give_up(Stage::kOpenTarget);
    errno = ESTALE;
    if (mount_id_of(target.raw()) != request.mount) give_up(Stage::kCheck);
    if (!detach(target.raw())) give_up(Stage::kDetach);
    // An empty file left there would be readable.
    if (request.sandbox_tmpfs != nullptr) remove_mount_point(request);
    done(-1);
  }

 private:
  bool failed(Stage stage) noexcept {
    failure_ = Failure{stage, errno, index_};
    return false;
  }

  [[noreturn]] void done(int fd) noexcept {
    LiveMountResult out{Failure{Stage::kNone, 0, -1}, mount_, made_, error_};
    send_packet(reply_, &out, sizeof out, fd);
    ::_exit(0);
  }
  [[noreturn]] void give_up(Stage stage) noexcept {
    failed(stage);
    give_up();
  }
  [[noreturn]] void give_up() noexcept {
    LiveMountResult out{failure_, 0, false, 0};
    send_packet(reply_, &out, sizeof out, -1);
    ::_exit(1);
  }

  // A copy of the host's mounts, in which the sandbox's own user namespace may clone.
  bool enter_host_copy(int user) noexcept {
    return enter_user(user) && (::unshare(CLONE_NEWNS) == 0 || failed(Stage::kNamespaces));
  }
  bool enter_user(int user) noexcept { return ::setns(user, CLONE_NEWUSER) == 0 || failed(Stage::kNamespaces); }
  bool enter_sandbox(int mounts) noexcept { return ::setns(mounts, CLONE_NEWNS) == 0 || failed(Stage::kPivot); }

  bool clone_all(const MountSpec* list) noexcept {
    errno = E2BIG;
    if (count_ > kMaxLiveMounts) return failed(Stage::kCloneTree);
    for (std::size_t i = 0; i < count_; ++i) {
      index_ = static_cast<std::int32_t>(i);
      trees_[i] = -1;
      if (list[i].source != nullptr && !clone(list[i], trees_[i])) return false;
    }
    return true;
  }

  bool clone(const MountSpec& wanted, int& tree) noexcept {
    ScopedFd source(kernel::open_no_links(AT_FDCWD, wanted.source, O_PATH | O_NOFOLLOW, 0));
    if (source.bad()) return failed(Stage::kOpenSource);
    struct stat info {};
    if (::fstat(source.raw(), &info) != 0) return failed(Stage::kOpenSource);
    errno = ESTALE;
    if (S_ISDIR(info.st_mode) != wanted.directory) return failed(Stage::kCheck);
    if (wanted.inode != 0 && (info.st_dev != wanted.device || info.st_ino != wanted.inode))
      return failed(Stage::kCheck);
    const unsigned deep = wanted.directory ? AT_RECURSIVE : 0U;
    tree = kernel::open_tree(source.raw(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | deep);
    if (tree < 0) return failed(Stage::kCloneTree);
    mount_attr change{};
    change.attr_set = wanted.attributes;
    change.propagation = MS_PRIVATE;
    return kernel::mount_setattr(tree, "", AT_EMPTY_PATH | deep, &change) == 0 || failed(Stage::kSetAttributes);
  }

  // Opens through the restricting mount: a process that reopens the descriptor through /proc/self/fd gets no more
  // access.
  int open_again(int tree, int flags) noexcept {
    struct stat info {};
    errno = EINVAL;
    if (::fstat(tree, &info) != 0 || !S_ISREG(info.st_mode)) return failed(Stage::kCheck), -1;
    const int file = ::open(DescriptorPath(tree).text(), flags | O_CLOEXEC | O_NOCTTY);
    if (file < 0) failed(Stage::kOpenSource);
    return file;
  }

  // Creates and opens in one call: by a second open, a mode without write permission would deny the creator access.
  int make_file(const OpenFileRequest& request) noexcept {
    ::umask(request.umask);
    const int flags = request.flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
    const int file = ::openat(trees_[0], request.name, flags, request.mode);
    if (file < 0) failed(Stage::kOpenSource);
    return file;
  }

  int make_unnamed(const OpenFileRequest& request) noexcept {
    ::umask(request.umask);
    const int file = ::openat(trees_[0], ".", request.flags | O_CLOEXEC, request.mode);
    if (file < 0) failed(Stage::kOpenSource);
    return file;
  }

  bool is_mount_root(int mount_root, const MakeWritableRequest& request) noexcept {
    struct statx info {};
    struct stat directory {};
    if (::fstat(mount_root, &directory) != 0 || ::statx(mount_root, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) != 0)
      return failed(Stage::kOpenTarget);
    errno = ESTALE;
    const bool root = (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    return (root && directory.st_dev == request.device && directory.st_ino == request.inode) || failed(Stage::kCheck);
  }

  bool attach_new(const MountSpec& added, int tree) noexcept {
    ScopedFd target(kernel::open_no_links(AT_FDCWD, added.target, O_PATH | O_NOFOLLOW, 0));
    if (target.bad()) return failed(Stage::kOpenTarget);
    return attach(tree, target.raw()) || failed(Stage::kMoveMount);
  }

  // Changes this one mount. The kernel answers EBUSY while a file on it is open for writing.
  enum class WriteAccess { kAllowed, kRefused };
  bool set_write_access(int mount_root, WriteAccess writing) noexcept {
    mount_attr change{};
    (writing == WriteAccess::kRefused ? change.attr_set : change.attr_clr) = MOUNT_ATTR_RDONLY;
    return kernel::mount_setattr(mount_root, "", AT_EMPTY_PATH, &change) == 0 || failed(Stage::kSetAttributes);
  }

  bool find_sandbox_tmpfs(const LiveMountRequest& request) noexcept {
    index_ = -1;
    if (request.mask_to_replace != nullptr) {
      ScopedFd fresh_tmpfs(new_tmpfs("0755", 0));
      ScopedFd target(kernel::open_no_links(AT_FDCWD, request.mask_to_replace, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
      if (fresh_tmpfs.bad() || target.bad() || !attach(fresh_tmpfs.raw(), target.raw())) return failed(Stage::kTmpfs);
    }
    struct stat info {};
    if (::stat(request.sandbox_tmpfs, &info) != 0) return failed(Stage::kOpenTarget);
    sandbox_device_ = info.st_dev;
    return true;
  }

  int new_tmpfs(const char* mode, std::uint64_t attributes) noexcept {
    ScopedFd context(kernel::fsopen("tmpfs"));
    if (context.bad() || kernel::fsconfig(context.raw(), FSCONFIG_SET_STRING, "mode", mode) != 0 ||
        kernel::fsconfig(context.raw(), FSCONFIG_SET_STRING, "size", "4m") != 0 ||
        kernel::fsconfig(context.raw(), FSCONFIG_CMD_CREATE, nullptr, nullptr) != 0)
      return -1;
    return kernel::fsmount(context.raw(), kQuiet | attributes);
  }

  bool attach(int tree, int target) noexcept {
    return kernel::move_mount(tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  }

  // In the copy of the host's mounts, which no other process uses: attaches the first over its own source, the others
  // in it.
  bool assemble(const MountSpec* list) noexcept {
    if (count_ == 1) return trees_[0] >= 0 || mask(list[0].directory, trees_[0]) || failed(Stage::kTmpfs);
    for (std::size_t i = 0; i < count_; ++i) {
      index_ = static_cast<std::int32_t>(i);
      if (trees_[i] < 0 && !mask(list[i].directory, trees_[i])) return failed(Stage::kTmpfs);
      ScopedFd target(
          kernel::open_no_links(AT_FDCWD, i == 0 ? list[0].source : list[i].target, O_PATH | O_NOFOLLOW, 0));
      if (target.bad()) return failed(Stage::kOpenTarget);
      if (!attach(trees_[i], target.raw())) return failed(Stage::kMoveMount);
    }
    index_ = 0;
    trees_[0] = kernel::open_tree(AT_FDCWD, list[0].source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    return trees_[0] >= 0 || failed(Stage::kCloneTree);
  }

  // The root of a tmpfs is a directory. An empty file is therefore cloned from a tmpfs that is attached over /dev of
  // this copy.
  bool mask(bool directory, int& tree) noexcept {
    constexpr std::uint64_t kUseless = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC;
    if (directory) return (tree = new_tmpfs("0", kUseless)) >= 0;
    ScopedFd system(new_tmpfs("0700", 0));
    if (system.bad() || kernel::move_mount(system.raw(), "", AT_FDCWD, "/dev", MOVE_MOUNT_F_EMPTY_PATH) != 0)
      return false;
    if (::mknodat(system.raw(), "stub", S_IFREG, 0) != 0) return false;
    tree = kernel::open_tree(system.raw(), "stub", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    mount_attr change{};
    change.attr_set = kQuiet | kUseless;
    return tree >= 0 && kernel::mount_setattr(tree, "", AT_EMPTY_PATH, &change) == 0;
  }

  bool mount(const MountSpec& wanted) noexcept {
    ScopedFd target(find_or_make(wanted));
    if (target.bad()) return failed(Stage::kOpenTarget);
    if (!attach(trees_[0], target.raw())) return failed(Stage::kMoveMount);
    mount_ = mount_id_of(trees_[0]);
    return true;
  }

  static std::uint64_t mount_id_of(int fd) noexcept {
    struct statx info {};
    return ::statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) == 0 ? info.stx_mnt_id : 0;
  }

  // A writable clone of a directory of the sandbox's own tmpfs, which is read-only for all processes inside.
  int writable_copy(int directory) noexcept {
    struct stat info {};
    struct statfs system {};
    errno = EROFS;
    if (::fstat(directory, &info) != 0 || info.st_dev != sandbox_device_) return -1;
    if (::fstatfs(directory, &system) != 0 || static_cast<std::uint64_t>(system.f_type) != TMPFS_MAGIC) return -1;
    const int copy = kernel::open_tree(directory, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    mount_attr change{};
    change.attr_clr = MOUNT_ATTR_RDONLY;
    if (copy >= 0 && kernel::mount_setattr(copy, "", AT_EMPTY_PATH, &change) == 0) return copy;
    if (copy >= 0) ::close(copy);
    return -1;
  }

  int find_or_make(const MountSpec& wanted) noexcept {
    int found = kernel::open_no_links(AT_FDCWD, wanted.target, O_PATH | O_NOFOLLOW, 0);
    if (found >= 0 || errno != ENOENT) return found;
    made_ = make_parents(wanted);
    return made_ ? kernel::open_no_links(AT_FDCWD, wanted.target, O_PATH | O_NOFOLLOW, 0) : -1;
  }

  // Walks down to the deepest existing directory, and makes the missing ones in it.
  bool make_parents(const MountSpec& wanted) noexcept {
    char path[4096];
    const std::size_t length = std::strlen(wanted.target);
    errno = ENAMETOOLONG;
    if (length >= sizeof path) return false;
    std::memcpy(path, wanted.target, length + 1);
    std::size_t there = length;  // path[0..there) exists
    int deepest = -1;
    while (deepest < 0 && there > 0) {
      do --there;
      while (there > 0 && path[there] != '/');
      path[there] = '\0';
      deepest = kernel::open_no_links(AT_FDCWD, there == 0 ? "/" : path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
      path[there] = '/';
    }
    ScopedFd directory(deepest);
    ScopedFd writable(deepest < 0 ? -1 : writable_copy(deepest));
    if (writable.bad()) return false;
    const char* rest = path + there + 1;
    for (std::size_t i = there + 1; i <= length; ++i) {
      if (path[i] != '/' && path[i] != '\0') continue;
      const bool last = path[i] == '\0';
      path[i] = '\0';
      const int made = last && !wanted.directory ? ::mknodat(writable.raw(), rest, S_IFREG | 0444, 0)
                                                 : ::mkdirat(writable.raw(), rest, 0755);
      if (made != 0 && errno != EEXIST) return false;
      if (!last) path[i] = '/';
    }
    return true;
  }

  void remove_mount_point(const UnmountRequest& request) noexcept {
    char parent[4096];
    const char* slash = std::strrchr(request.target, '/');
    const auto length = static_cast<std::size_t>(slash - request.target);
    struct stat sandbox_tmpfs {};
    if (slash == nullptr || length >= sizeof parent || ::stat(request.sandbox_tmpfs, &sandbox_tmpfs) != 0) return;
    std::memcpy(parent, request.target, length);
    parent[length] = '\0';
    sandbox_device_ = sandbox_tmpfs.st_dev;
    ScopedFd directory(
        kernel::open_no_links(AT_FDCWD, length == 0 ? "/" : parent, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
    ScopedFd writable(directory.bad() ? -1 : writable_copy(directory.raw()));
    if (!writable.bad()) ::unlinkat(writable.raw(), slash + 1, request.directory ? AT_REMOVEDIR : 0);
  }

  // The sandbox's own /proc does not show this process, which is not in its pid namespace.
  bool open_own_descriptors() noexcept {
    own_descriptors_ = ::open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return own_descriptors_ >= 0 || failed(Stage::kDetach);
  }

  // Detaches the mount whose root this descriptor is. umount2() takes only a path: the magic link leads to exactly this
  // mount, also if another one covers it by now.
  bool detach(int mount_root) const noexcept {
    return ::fchdir(own_descriptors_) == 0 && ::umount2(DescriptorPath(mount_root).number(), MNT_DETACH) == 0;
  }

  int reply_;
  Failure failure_{Stage::kNone, 0, -1};
  std::int32_t index_ = -1;
  std::uint64_t mount_ = 0;
  bool made_ = false;
  std::int32_t error_ = 0;
  dev_t sandbox_device_ = 0;
  int own_descriptors_ = -1;
  std::size_t count_ = 0;
  int trees_[kMaxLiveMounts];
};

}  // namespace

void mount_live(const LiveMountRequest& request, int reply) noexcept { LiveMounts(reply).mount_live(request); }
void open_file(const OpenFileRequest& request, int reply) noexcept { LiveMounts(reply).open_file(request); }
void make_writable(const MakeWritableRequest& request, int reply) noexcept { LiveMounts(reply).make_writable(request); }
void make_read_only(const MakeReadOnlyRequest& request, int reply) noexcept {
  LiveMounts(reply).make_read_only(request);
}
void unmount_live(const UnmountRequest& request, int reply) noexcept { LiveMounts(reply).unmount_live(request); }

}  // namespace pinfold::backend::on_linux::child
