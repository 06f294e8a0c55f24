// live_mount.cc: two steps: clone from the host, then mount in the sandbox.
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

class Widener {
 public:
  explicit Widener(int reply) noexcept : reply_(reply) { ::umask(022); }

  [[noreturn]] void widen(const Widening& widening) noexcept {
    count_ = widening.count;
    if (enter_host_copy(widening.user) && clone_all(widening.list) && put_together(widening.list) &&
        enter_sandbox(widening.mounts) && take_ground(widening) && mount(widening.list[0]))
      done(-1);
    give_up();
  }

  [[noreturn]] void hand_over(const HandingOver& handing) noexcept {
    count_ = 1;
    if (!enter_host_copy(handing.user) || !clone(handing.file, trees_[0])) give_up();
    if (!give_up_capabilities()) give_up(Stage::kCapabilities);
    const int file = handing.name != nullptr ? make_file(handing) : open_again(trees_[0], handing.flags);
    if (file < 0) give_up();
    if (handing.size < 0) done(file);
    if (::ftruncate(file, handing.size) != 0) error_ = errno;
    done(-1);
  }

  [[noreturn]] void open_up(const Opening& opening) noexcept {
    count_ = opening.count;
    if (!enter_host_copy(opening.user) || !clone_all(opening.added)) give_up();
    for (std::size_t i = 0; i < count_; ++i)
      if (trees_[i] < 0 && !mask(opening.added[i].directory, trees_[i])) give_up(Stage::kTmpfs);
    if (!enter_sandbox(opening.mounts)) give_up();
    Scoped place(kernel::open_no_links(AT_FDCWD, opening.place, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
    if (place.bad()) give_up(Stage::kOpenTarget);
    if (!is_root_of_its_mount(place.raw(), opening)) give_up();
    std::size_t attached = 0;
    while (attached < count_ && attach_added(opening.added[attached], trees_[attached])) ++attached;
    mount_ = number_of(place.raw());
    if (attached == count_ && change_writing(place.raw(), Writing::kAllowed)) done(-1);
    while (attached > 0) ::umount2(opening.added[--attached].place, MNT_DETACH | UMOUNT_NOFOLLOW);
    give_up();
  }

  [[noreturn]] void close_up(const Closing& closing) noexcept {
    if (!enter_user(closing.user) || !enter_sandbox(closing.mounts)) give_up();
    Scoped place(kernel::open_no_links(AT_FDCWD, closing.place, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
    if (place.bad()) give_up(Stage::kOpenTarget);
    errno = ESTALE;
    if (number_of(place.raw()) != closing.mount) give_up(Stage::kCheck);
    if (change_writing(place.raw(), Writing::kRefused)) done(-1);
    give_up();
  }

  [[noreturn]] void narrow(const Narrowing& narrowing) noexcept {
    if (enter_user(narrowing.user) && enter_sandbox(narrowing.mounts) && is_on_top(narrowing)) {
      if (::umount2(narrowing.target, MNT_DETACH | UMOUNT_NOFOLLOW) == 0) {
        // An empty file left there would be one that can be read.
        if (narrowing.ground != nullptr) unmake(narrowing);
        done(-1);
      }
      failed(Stage::kDetach);
    }
    give_up();
  }

 private:
  bool failed(Stage stage) noexcept {
    failure_ = Failure{stage, errno, index_};
    return false;
  }

  [[noreturn]] void done(int fd) noexcept {
    Widened out{Failure{Stage::kNone, 0, -1}, mount_, made_, error_};
    send_packet(reply_, &out, sizeof out, fd);
    ::_exit(0);
  }
  [[noreturn]] void give_up(Stage stage) noexcept {
    failed(stage);
    give_up();
  }
  [[noreturn]] void give_up() noexcept {
    Widened out{failure_, 0, false, 0};
    send_packet(reply_, &out, sizeof out, -1);
    ::_exit(1);
  }

  // A copy of its mounts, in which the sandbox's own user namespace may clone.
  bool enter_host_copy(int user) noexcept {
    return enter_user(user) && (::unshare(CLONE_NEWNS) == 0 || failed(Stage::kNamespaces));
  }
  bool enter_user(int user) noexcept { return ::setns(user, CLONE_NEWUSER) == 0 || failed(Stage::kNamespaces); }
  bool enter_sandbox(int mounts) noexcept { return ::setns(mounts, CLONE_NEWNS) == 0 || failed(Stage::kPivot); }

  bool clone_all(const Mounting* list) noexcept {
    errno = E2BIG;
    if (count_ > kMostMountings) return failed(Stage::kCloneTree);
    for (std::size_t i = 0; i < count_; ++i) {
      index_ = static_cast<std::int32_t>(i);
      trees_[i] = -1;
      if (list[i].source != nullptr && !clone(list[i], trees_[i])) return false;
    }
    return true;
  }

  bool clone(const Mounting& wanted, int& tree) noexcept {
    Scoped source(kernel::open_no_links(AT_FDCWD, wanted.source, O_PATH | O_NOFOLLOW, 0));
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

  // Through the mount that restricts it: opened anew by whoever gets it, it is no more than it is now.
  int open_again(int tree, int flags) noexcept {
    struct stat info {};
    errno = EINVAL;
    if (::fstat(tree, &info) != 0 || !S_ISREG(info.st_mode)) return failed(Stage::kCheck), -1;
    const int file = ::open(DescriptorPath(tree).text(), flags | O_CLOEXEC | O_NOCTTY);
    if (file < 0) failed(Stage::kOpenSource);
    return file;
  }

  // Made and opened in one step, so that a mode without write permission does not shut its maker out.
  int make_file(const HandingOver& handing) noexcept {
    ::umask(handing.umask);
    const int flags = handing.flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
    const int file = ::openat(trees_[0], handing.name, flags, handing.mode);
    if (file < 0) failed(Stage::kOpenSource);
    return file;
  }

  bool is_root_of_its_mount(int place, const Opening& opening) noexcept {
    struct statx info {};
    struct stat directory {};
    if (::fstat(place, &directory) != 0 || ::statx(place, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) != 0)
      return failed(Stage::kOpenTarget);
    errno = ESTALE;
    const bool root = (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    return (root && directory.st_dev == opening.device && directory.st_ino == opening.inode) || failed(Stage::kCheck);
  }

  bool attach_added(const Mounting& added, int tree) noexcept {
    Scoped target(kernel::open_no_links(AT_FDCWD, added.place, O_PATH | O_NOFOLLOW, 0));
    if (target.bad()) return failed(Stage::kOpenTarget);
    return attach(tree, target.raw()) || failed(Stage::kMoveMount);
  }

  // Of this one mount. The kernel answers EBUSY as long as a file is open for writing there.
  enum class Writing { kAllowed, kRefused };
  bool change_writing(int place, Writing writing) noexcept {
    mount_attr change{};
    (writing == Writing::kRefused ? change.attr_set : change.attr_clr) = MOUNT_ATTR_RDONLY;
    return kernel::mount_setattr(place, "", AT_EMPTY_PATH, &change) == 0 || failed(Stage::kSetAttributes);
  }

  bool take_ground(const Widening& widening) noexcept {
    index_ = -1;
    if (widening.own != nullptr) {
      Scoped own(new_tmpfs("0755", 0));
      Scoped target(kernel::open_no_links(AT_FDCWD, widening.own, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
      if (own.bad() || target.bad() || !attach(own.raw(), target.raw())) return failed(Stage::kTmpfs);
    }
    struct stat info {};
    if (::stat(widening.ground, &info) != 0) return failed(Stage::kOpenTarget);
    ground_ = info.st_dev;
    return true;
  }

  int new_tmpfs(const char* mode, std::uint64_t attributes) noexcept {
    Scoped context(kernel::fsopen("tmpfs"));
    if (context.bad() || kernel::fsconfig(context.raw(), FSCONFIG_SET_STRING, "mode", mode) != 0 ||
        kernel::fsconfig(context.raw(), FSCONFIG_SET_STRING, "size", "4m") != 0 ||
        kernel::fsconfig(context.raw(), FSCONFIG_CMD_CREATE, nullptr, nullptr) != 0)
      return -1;
    return kernel::fsmount(context.raw(), kQuiet | attributes);
  }

  bool attach(int tree, int target) noexcept {
    return kernel::move_mount(tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  }

  // In the copy of the host's mounts, where nobody looks: the first over its own source, the others in it.
  bool put_together(const Mounting* list) noexcept {
    if (count_ == 1) return trees_[0] >= 0 || mask(list[0].directory, trees_[0]) || failed(Stage::kTmpfs);
    for (std::size_t i = 0; i < count_; ++i) {
      index_ = static_cast<std::int32_t>(i);
      if (trees_[i] < 0 && !mask(list[i].directory, trees_[i])) return failed(Stage::kTmpfs);
      Scoped place(kernel::open_no_links(AT_FDCWD, i == 0 ? list[0].source : list[i].place, O_PATH | O_NOFOLLOW, 0));
      if (place.bad()) return failed(Stage::kOpenTarget);
      if (!attach(trees_[i], place.raw())) return failed(Stage::kMoveMount);
    }
    index_ = 0;
    trees_[0] = kernel::open_tree(AT_FDCWD, list[0].source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    return trees_[0] >= 0 || failed(Stage::kCloneTree);
  }

  // A file system of one's own can serve as a directory, but not as a file: that one is cloned from where it is
  // attached, over a place that nobody needs here.
  bool mask(bool directory, int& tree) noexcept {
    constexpr std::uint64_t kUseless = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC;
    if (directory) return (tree = new_tmpfs("0", kUseless)) >= 0;
    Scoped system(new_tmpfs("0700", 0));
    if (system.bad() || kernel::move_mount(system.raw(), "", AT_FDCWD, "/dev", MOVE_MOUNT_F_EMPTY_PATH) != 0)
      return false;
    if (::mknodat(system.raw(), "stub", S_IFREG, 0) != 0) return false;
    tree = kernel::open_tree(system.raw(), "stub", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    mount_attr change{};
    change.attr_set = kQuiet | kUseless;
    return tree >= 0 && kernel::mount_setattr(tree, "", AT_EMPTY_PATH, &change) == 0;
  }

  bool mount(const Mounting& wanted) noexcept {
    Scoped target(find_or_make(wanted));
    if (target.bad()) return failed(Stage::kOpenTarget);
    if (!attach(trees_[0], target.raw())) return failed(Stage::kMoveMount);
    mount_ = number_of(trees_[0]);
    return true;
  }

  static std::uint64_t number_of(int fd) noexcept {
    struct statx info {};
    return ::statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) == 0 ? info.stx_mnt_id : 0;
  }

  // Of a directory that is read-only for everybody inside, and ours.
  int writable_copy(int directory) noexcept {
    struct stat info {};
    struct statfs system {};
    errno = EROFS;
    if (::fstat(directory, &info) != 0 || info.st_dev != ground_) return -1;
    if (::fstatfs(directory, &system) != 0 || static_cast<std::uint64_t>(system.f_type) != TMPFS_MAGIC) return -1;
    const int copy = kernel::open_tree(directory, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    mount_attr change{};
    change.attr_clr = MOUNT_ATTR_RDONLY;
    if (copy >= 0 && kernel::mount_setattr(copy, "", AT_EMPTY_PATH, &change) == 0) return copy;
    if (copy >= 0) ::close(copy);
    return -1;
  }

  int find_or_make(const Mounting& wanted) noexcept {
    int found = kernel::open_no_links(AT_FDCWD, wanted.place, O_PATH | O_NOFOLLOW, 0);
    if (found >= 0 || errno != ENOENT) return found;
    made_ = make_way(wanted);
    return made_ ? kernel::open_no_links(AT_FDCWD, wanted.place, O_PATH | O_NOFOLLOW, 0) : -1;
  }

  // Goes down as far as there is something, and makes the rest there.
  bool make_way(const Mounting& wanted) noexcept {
    char path[4096];
    const std::size_t length = std::strlen(wanted.place);
    errno = ENAMETOOLONG;
    if (length >= sizeof path) return false;
    std::memcpy(path, wanted.place, length + 1);
    std::size_t there = length;  // path[0..there) exists
    int deepest = -1;
    while (deepest < 0 && there > 0) {
      do --there;
      while (there > 0 && path[there] != '/');
      path[there] = '\0';
      deepest = kernel::open_no_links(AT_FDCWD, there == 0 ? "/" : path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
      path[there] = '/';
    }
    Scoped directory(deepest);
    Scoped writable(deepest < 0 ? -1 : writable_copy(deepest));
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

  void unmake(const Narrowing& narrowing) noexcept {
    char parent[4096];
    const char* slash = std::strrchr(narrowing.target, '/');
    const auto length = static_cast<std::size_t>(slash - narrowing.target);
    struct stat ground {};
    if (slash == nullptr || length >= sizeof parent || ::stat(narrowing.ground, &ground) != 0) return;
    std::memcpy(parent, narrowing.target, length);
    parent[length] = '\0';
    ground_ = ground.st_dev;
    Scoped directory(kernel::open_no_links(AT_FDCWD, length == 0 ? "/" : parent, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0));
    Scoped writable(directory.bad() ? -1 : writable_copy(directory.raw()));
    if (!writable.bad()) ::unlinkat(writable.raw(), slash + 1, narrowing.directory ? AT_REMOVEDIR : 0);
  }

  bool is_on_top(const Narrowing& narrowing) noexcept {
    Scoped target(kernel::open_no_links(AT_FDCWD, narrowing.target, O_PATH | O_NOFOLLOW, 0));
    if (target.bad()) return failed(Stage::kOpenTarget);
    errno = ESTALE;
    return number_of(target.raw()) == narrowing.mount || failed(Stage::kCheck);
  }

  int reply_;
  Failure failure_{Stage::kNone, 0, -1};
  std::int32_t index_ = -1;
  std::uint64_t mount_ = 0;
  bool made_ = false;
  std::int32_t error_ = 0;
  dev_t ground_ = 0;
  std::size_t count_ = 0;
  int trees_[kMostMountings];
};

}  // namespace

void widen(const Widening& widening, int reply) noexcept { Widener(reply).widen(widening); }
void hand_over(const HandingOver& handing, int reply) noexcept { Widener(reply).hand_over(handing); }
void open_up(const Opening& opening, int reply) noexcept { Widener(reply).open_up(opening); }
void close_up(const Closing& closing, int reply) noexcept { Widener(reply).close_up(closing); }
void narrow(const Narrowing& narrowing, int reply) noexcept { Widener(reply).narrow(narrowing); }

}  // namespace pinfold::backend::on_linux::child
