// mount_ops.cc: applies the blueprint's operations one by one.
// Invariant: as setup.cc; below directories shown from the host it follows no symlink and mounts onto the descriptor
// that it opened.
// Not here: their order (mount_plan.cc), the steps before and after them (setup.cc).
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/remount.h"
#include "backend/linux/child/scoped_fd.h"
#include "backend/linux/child/setup.h"

namespace pinfold::backend::on_linux::child {

bool Setup::apply_ops() noexcept {
  for (std::size_t i = 0; i < blueprint_->op_count; ++i) {
    index_ = static_cast<std::int32_t>(i);
    if (!apply(blueprint_->ops[i])) return false;
  }
  forget_parent();
  index_ = -1;
  return true;
}

bool Setup::apply(const Op& op) noexcept {
  if (op.kind == OpKind::kMakeDirectory || op.kind == OpKind::kMakeLink || op.kind == OpKind::kMakeFile)
    return make_entry(op);
  forget_parent();  // a mount may cover it
  switch (op.kind) {
    case OpKind::kBindRoot:
    case OpKind::kBind: return bind(op);
    case OpKind::kDevice: return device(op);
    case OpKind::kMaskFile: return mask(op, kStubFile);
    case OpKind::kMaskDirectory: return mask(op, kStubDirectory);
    case OpKind::kCoverFile: return cover(op);
    case OpKind::kOwnDirectory: return own_directory(op);
    case OpKind::kSealDirectory: return seal(op);
    case OpKind::kProc: return proc(op);
    case OpKind::kTerminals: return terminals(op);
    case OpKind::kTmp: return tmp(op);
    default: break;
  }
  errno = EINVAL;
  return failed(Stage::kMakeEntry);
}

// In a directory of the sandbox's own that lies below a shown one, the path is walked without following symlinks.
bool Setup::make_entry(const Op& op) noexcept {
  if (op.location == TargetLocation::kSkeleton) return make_entry_at(root_, op.target, op);
  const char* slash = std::strrchr(op.target, '/');
  if (slash == nullptr) return make_entry_at(root_, op.target, op);
  if (!open_parent(op.target, static_cast<std::size_t>(slash - op.target))) return failed(Stage::kOpenTarget);
  return make_entry_at(parent_, slash + 1, op);
}

bool Setup::open_parent(const char* target, std::size_t length) noexcept {
  if (parent_ >= 0 && parent_length_ == length && std::memcmp(parent_of_, target, length) == 0) return true;
  forget_parent();
  char path[4096];
  errno = ENAMETOOLONG;
  if (length >= sizeof path) return false;
  std::memcpy(path, target, length);
  path[length] = '\0';
  parent_ = kernel::open_no_links(root_, path, O_PATH | O_DIRECTORY, RESOLVE_BENEATH);
  parent_of_ = target;
  parent_length_ = length;
  return parent_ >= 0;
}

void Setup::forget_parent() noexcept {
  if (parent_ >= 0) ::close(parent_);
  parent_ = -1;
}

bool Setup::make_entry_at(int at, const char* name, const Op& op) noexcept {
  if (op.kind == OpKind::kMakeDirectory)
    return ::mkdirat(at, name, 0755) == 0 || errno == EEXIST || failed(Stage::kMakeEntry);
  if (op.kind == OpKind::kMakeLink)
    return ::symlinkat(op.text, at, name) == 0 || errno == EEXIST || failed(Stage::kMakeEntry);
  if (op.length == 0)
    return ::mknodat(at, name, S_IFREG | 0444, 0) == 0 || errno == EEXIST || failed(Stage::kMakeEntry);
  ScopedFd fd(::openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  if (fd.bad()) return failed(Stage::kMakeEntry);
  if (::write(fd.raw(), op.text, op.length) != static_cast<ssize_t>(op.length)) return failed(Stage::kMakeEntry);
  return landlock_rule(fd.raw(), LANDLOCK_ACCESS_FS_READ_FILE);
}

// Below a shown directory, host processes may rename entries at any time: no symlink is followed, and the mount goes
// onto the descriptor that was opened.
bool Setup::attach(int tree, const Op& op) noexcept {
  if (op.location == TargetLocation::kSkeleton)
    return kernel::move_mount(tree, "", root_, op.target, MOVE_MOUNT_F_EMPTY_PATH) == 0 || failed(Stage::kMoveMount);
  ScopedFd target(kernel::open_no_links(root_, op.target, O_PATH, RESOLVE_BENEATH));
  if (target.bad()) return failed(Stage::kOpenTarget);
  return kernel::move_mount(tree, "", target.raw(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0 ||
         failed(Stage::kMoveMount);
}

// Setting attributes keeps those that are already there (nosuid, nodev…), which a user namespace may not clear. The
// mount is attached by now: kernels before 5.12 can change no other. No command runs at this time.
bool Setup::restrict_mount(int tree, std::uint64_t attributes, Depth depth) noexcept {
  mount_attr change{};
  change.attr_set = attributes;
  change.propagation = MS_PRIVATE;
  unsigned recursive = depth == Depth::kWholeTree ? AT_RECURSIVE : 0u;
  if (kernel::mount_setattr(tree, "", AT_EMPTY_PATH | recursive, &change) == 0) return true;
  return (errno == ENOSYS && make_private(tree, depth) && remount(tree, attributes, depth)) ||
         failed(Stage::kSetAttributes);
}

bool Setup::bind(const Op& op) noexcept {
  ScopedFd source(kernel::open_no_links(AT_FDCWD, op.source, O_PATH | O_NOFOLLOW, 0));
  if (source.bad()) return failed(Stage::kOpenSource);
  unsigned recursive = op.directory ? AT_RECURSIVE : 0u;
  ScopedFd tree(kernel::open_tree(source.raw(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive));
  if (tree.bad()) return failed(Stage::kCloneTree);
  if (op.kind == OpKind::kBindRoot) {
    if (kernel::move_mount(tree.raw(), "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) != 0)
      return failed(Stage::kMoveMount);
    root_ = ::fcntl(tree.raw(), F_DUPFD_CLOEXEC, 3);
    if (root_ < 0) return failed(Stage::kMoveMount);
  } else if (!attach(tree.raw(), op)) {
    return false;
  }
  return restrict_mount(tree.raw(), op.attributes, op.directory ? Depth::kWholeTree : Depth::kOneMount) &&
         landlock_rule(source.raw(), op.landlock);
}

void Setup::attach_prepared(PreparedMount& prepared, const char* target) noexcept {
  prepared.attached =
      prepared.tree >= 0 && kernel::move_mount(prepared.tree, "", skeleton_, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
  // use_prepared() restricts a mount that could not be restricted now, or fails.
  if (prepared.attached && prepared.attributes != 0 &&
      restrict_mount(prepared.tree, prepared.attributes, Depth::kOneMount))
    prepared.attributes = 0;
}

bool Setup::is_usable(const PreparedMount& prepared, const Op& op) const noexcept {
  return prepared.tree >= 0 && (!prepared.attached || (op.location == TargetLocation::kSkeleton && root_ == skeleton_));
}

bool Setup::use_prepared(PreparedMount& prepared, const Op& op) noexcept {
  ScopedFd tree(std::exchange(prepared.tree, -1));
  if (!prepared.attached && !attach(tree.raw(), op)) return false;
  if (prepared.attributes != 0 && !restrict_mount(tree.raw(), prepared.attributes, Depth::kOneMount)) return false;
  return landlock_rule(tree.raw(), op.landlock);
}

bool Setup::device(const Op& op) noexcept {
  for (std::size_t i = 0; i < kDeviceCount; ++i)
    if (std::strcmp(op.source, kDevices[i]) == 0 && is_usable(devices_[i], op)) return use_prepared(devices_[i], op);
  return bind(op);
}

// The file needs its name only until it is mounted over the target.
bool Setup::cover(const Op& op) noexcept {
  static constexpr const char* kCover = ".cover";
  ScopedFd file(::openat(stubs_, kCover, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  if (file.bad() || ::write(file.raw(), op.text, op.length) != static_cast<ssize_t>(op.length))
    return failed(Stage::kMakeEntry);
  return mask(op, kCover) && (::unlinkat(stubs_, kCover, 0) == 0 || failed(Stage::kMakeEntry));
}

bool Setup::mask(const Op& op, const char* stub) noexcept {
  ScopedFd tree(kernel::open_tree(stubs_, stub, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (tree.bad()) return failed(Stage::kCloneTree);
  return attach(tree.raw(), op) &&
         restrict_mount(tree.raw(), kQuiet | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, Depth::kOneMount);
}

bool Setup::own_directory(const Op& op) noexcept {
  static constexpr const char* kOptions[][2] = {{"mode", "0755"}, {"size", "4m"}};
  ScopedFd tree(new_filesystem("tmpfs", kOptions, 2, kQuiet));
  if (tree.bad()) return failed(Stage::kTmpfs);
  return attach(tree.raw(), op);
}

bool Setup::seal(const Op& op) noexcept {
  ScopedFd target(kernel::open_no_links(root_, op.target, O_PATH, RESOLVE_BENEATH));
  if (target.bad()) return failed(Stage::kOpenTarget);
  return restrict_mount(target.raw(), MOUNT_ATTR_RDONLY, Depth::kOneMount);
}

bool Setup::new_scratch(const char* size) noexcept {
  const char* const options[][2] = {{"mode", "0700"}, {"size", size}};
  if (scratch_ >= 0) ::close(scratch_);
  scratch_ = new_filesystem("tmpfs", options, 2, kQuiet);
  scratch_size_ = size;
  scratch_attached_ = false;
  scratch_next_ = 'a';
  return scratch_ >= 0 || failed(Stage::kTmpfs);
}

// One tmpfs for all of them: making and destroying a file system costs more than a directory, and the size is a limit
// on their sum.
bool Setup::tmp(const Op& op) noexcept {
  if ((scratch_ < 0 || std::strcmp(scratch_size_, op.text) != 0) && !new_scratch(op.text)) return false;
  // A mount can be cloned only where it is attached: it is mounted below the first directory taken from it.
  if (!std::exchange(scratch_attached_, true) && !attach(scratch_, op)) return false;
  const char name[] = {scratch_next_++, '\0'};
  if (::mkdirat(scratch_, name, 01777) != 0) return failed(Stage::kTmpfs);
  ScopedFd tree(kernel::open_tree(scratch_, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (tree.bad()) return failed(Stage::kCloneTree);
  return attach(tree.raw(), op) && restrict_mount(tree.raw(), kQuiet | op.attributes, Depth::kOneMount) &&
         landlock_rule(tree.raw(), op.landlock);
}

bool Setup::terminals(const Op& op) noexcept {
  if (is_usable(terminals_, op)) return use_prepared(terminals_, op);
  PreparedMount fresh{terminals_tree()};
  return fresh.tree >= 0 ? use_prepared(fresh, op) : failed(Stage::kTerminals);
}

bool Setup::proc(const Op& op) noexcept {
  PreparedMount fresh;
  bool prepared = is_usable(proc_, op);
  if (!prepared) fresh.tree = proc_tree();
  if (!prepared && fresh.tree < 0) return failed(Stage::kProc);
  return use_prepared(prepared ? proc_ : fresh, op) && (!blueprint_->guard_proc || guard_proc());
}

bool Setup::guard_proc() noexcept {
  for (const char* name : kProcReadOnly) {
    const char* path = name + 1;
    ScopedFd tree(kernel::open_tree(root_, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (tree.bad() && errno == ENOENT) continue;
    if (!guard_with(tree.raw(), path)) return false;
  }
  for (const char* name : kProcMasked) {
    const char* path = name + 1;
    if (::faccessat(root_, path, F_OK, 0) != 0) {
      if (errno == ENOENT) continue;
      return failed(Stage::kGuardProc);
    }
    ScopedFd tree(kernel::open_tree(stubs_, kStubFile, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (!guard_with(tree.raw(), path)) return false;
  }
  return true;
}

bool Setup::guard_with(int tree, const char* path) noexcept {
  if (tree < 0 || kernel::move_mount(tree, "", root_, path, MOVE_MOUNT_F_EMPTY_PATH) != 0)
    return failed(Stage::kGuardProc);
  return restrict_mount(tree, MOUNT_ATTR_RDONLY, Depth::kOneMount) || failed(Stage::kGuardProc);
}

}  // namespace pinfold::backend::on_linux::child
