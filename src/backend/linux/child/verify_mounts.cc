// verify_mounts.cc: verifies the mounts that bubblewrap made, and builds rulesets without mounts.
// Invariant: as setup.cc; a mount that differs from its operation is a failure.
// Not here: namespaces and mounts made by init (setup.cc, mount_ops.cc).
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/scoped_fd.h"
#include "backend/linux/child/setup.h"

namespace pinfold::backend::on_linux::child {

namespace {

// Sets ESTALE if this is not the root of a mount.
bool is_mount(int fd) noexcept {
  struct statx info {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_INO, &info) != 0) return false;
  errno = ESTALE;
  // Kernels before 5.8 do not report STATX_ATTR_MOUNT_ROOT.
  return (info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0 || (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

// bubblewrap walked names that host processes may have renamed meanwhile: each mounted file must be the pinned one,
// with at least the restrictions of the plan.
bool Setup::verify_mounts() noexcept {
  root_ = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_ < 0) return failed(Stage::kOpenTarget);
  if (!landlock_create() || !mount_by_descriptor()) return false;
  for (std::size_t i = 0; i < blueprint_->op_count; ++i) {
    index_ = static_cast<std::int32_t>(i);
    if (!check(blueprint_->ops[i])) return false;
  }
  index_ = -1;
  struct statvfs mount {};
  errno = ESTALE;
  if (!blueprint_->root_is_shown && (::fstatvfs(root_, &mount) != 0 || (mount.f_flag & ST_RDONLY) == 0))
    return failed(Stage::kSealRoot);
  if (ruleset_ >= 0 && !allow_loaders()) return false;
  ::close(root_);
  root_ = -1;
  return true;
}

// A file system can be cloned only where it is attached: it stays over /proc until the last of these is mounted.
bool Setup::mount_by_descriptor() noexcept {
  static constexpr const char* kOptions[][2] = {{"mode", "0700"}, {"size", "4m"}};
  for (std::size_t i = 0; i < blueprint_->op_count; ++i) {
    const Op& op = blueprint_->ops[i];
    if (!op.by_descriptor) continue;
    index_ = static_cast<std::int32_t>(i);
    if (op.kind != OpKind::kBind && stubs_ < 0) {
      stubs_ = new_filesystem("tmpfs", kOptions, 2, kQuiet);
      if (stubs_ < 0 || kernel::move_mount(stubs_, "", root_, "proc", MOVE_MOUNT_F_EMPTY_PATH) != 0 ||
          ::mknodat(stubs_, kStubFile, S_IFREG, 0) != 0 || ::mkdirat(stubs_, kStubDirectory, 0) != 0)
        return failed(Stage::kTmpfs);
    }
    if (!(op.kind == OpKind::kBind ? bind_to_itself(op) : apply(op))) return false;
  }
  index_ = -1;
  if (stubs_ < 0) return true;
  ::close(stubs_);
  stubs_ = -1;
  return ::umount2("/proc", MNT_DETACH) == 0 || failed(Stage::kTmpfs);
}

bool Setup::bind_to_itself(const Op& op) noexcept {
  ScopedFd place(kernel::open_no_links(root_, op.target, O_PATH, RESOLVE_BENEATH));
  struct stat info {};
  if (place.bad() || ::fstat(place.raw(), &info) != 0) return failed(Stage::kOpenTarget);
  errno = ESTALE;
  if (op.device != 0 && (info.st_dev != op.device || info.st_ino != op.inode)) return failed(Stage::kCheck);
  const unsigned recursive = op.directory ? AT_RECURSIVE : 0u;
  ScopedFd tree(kernel::open_tree(place.raw(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive));
  if (tree.bad()) return failed(Stage::kCloneTree);
  if (kernel::move_mount(tree.raw(), "", place.raw(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
    return failed(Stage::kMoveMount);
  return restrict_mount(tree.raw(), op.attributes, op.directory ? Depth::kWholeTree : Depth::kOneMount);
}

// Drops the capabilities that bubblewrap kept for the network and for devices from the bounding set, too.
bool Setup::drop_bubblewrap_capabilities() noexcept {
  if (mounts_devices(*blueprint_) && !(lock_securebits() && bound_capabilities())) return false;
  return is_bounding_set_empty();
}

// bubblewrap has emptied the bounding set: no exec gives a capability, not even to uid 0.
bool Setup::is_bounding_set_empty() noexcept {
  errno = EPERM;
  for (unsigned long capability = 0; capability < 64; ++capability) {
    int held = ::prctl(PR_CAPBSET_READ, capability);
    if (held < 0 && errno == EINVAL && capability > 0) break;  // past the last one
    if (held != 0) return failed(Stage::kCapabilities);
  }
  return true;
}

bool Setup::check(const Op& op) noexcept {
  // With the capabilities that init needs, bubblewrap mounts no terminals (arguments.cc).
  if (op.kind == OpKind::kTerminals && mounts_devices(*blueprint_) && !terminals(op)) return false;
  const bool is_mask = op.kind == OpKind::kMaskFile || op.kind == OpKind::kMaskDirectory;
  const bool is_text = op.kind == OpKind::kMakeFile && op.length > 0;
  const std::uint64_t rights = is_text ? std::uint64_t{LANDLOCK_ACCESS_FS_READ_FILE} : op.landlock;
  const bool is_sealed = op.kind == OpKind::kSealDirectory;
  const bool is_cover = op.kind == OpKind::kCoverFile;
  if (rights == 0 && op.device == 0 && !is_mask && !is_sealed && !is_cover) return true;
  ScopedFd target(kernel::open_no_links(root_, op.target, O_PATH, RESOLVE_BENEATH));
  if (target.bad()) return failed(Stage::kOpenTarget);
  // Root owns the host's devices, and could change their modes.
  const bool closes = op.kind == OpKind::kDevice && mounts_devices(*blueprint_);
  if (closes && !restrict_mount(target.raw(), MOUNT_ATTR_RDONLY, Depth::kOneMount)) return false;
  struct stat info {};
  struct statvfs mount {};
  if (::fstat(target.raw(), &info) != 0 || ::fstatvfs(target.raw(), &mount) != 0) return failed(Stage::kOpenTarget);
  errno = ESTALE;
  if (op.device != 0 && (info.st_dev != op.device || info.st_ino != op.inode)) return failed(Stage::kCheck);
  // A directory above a protected one keeps its attributes but must be a mount, which cannot be renamed.
  if ((op.device != 0 || is_cover) && !is_mount(target.raw())) return failed(Stage::kCheck);
  if (is_cover && static_cast<std::size_t>(info.st_size) != op.length) return failed(Stage::kCheck);
  // Device entries are read-only only if init made them so: bubblewrap's read-only mounts have nodev, which disables
  // devices.
  const bool is_entry = op.kind == OpKind::kDevice || (op.kind == OpKind::kMakeFile && S_ISCHR(info.st_mode));
  const bool read_only = !is_entry && (op.attributes & MOUNT_ATTR_RDONLY) != 0;
  const bool closed = is_mask || is_sealed || is_cover || read_only || closes;
  if (closed && (mount.f_flag & ST_RDONLY) == 0) return failed(Stage::kCheck);
  if (is_mask && (info.st_mode & 0777) != 0) return failed(Stage::kCheck);
  return landlock_rule(target.raw(), rights);
}

bool Setup::make_rules() noexcept {
  if (blueprint_->landlock_abi == 0) {
    errno = EOPNOTSUPP;
    return failed(Stage::kLandlockCreate);
  }
  if (!landlock_create()) return false;
  for (std::size_t i = 0; i < blueprint_->op_count; ++i) {
    index_ = static_cast<std::int32_t>(i);
    const Op& op = blueprint_->ops[i];
    ScopedFd source(kernel::open_no_links(AT_FDCWD, op.source, O_PATH | O_NOFOLLOW, 0));
    if (source.bad()) return failed(Stage::kOpenSource);
    if (!landlock_rule(source.raw(), op.landlock)) return false;
  }
  index_ = -1;
  if (!allow_loaders()) return false;
  // Every command inherits it, above its own 0, 1 and 2.
  ScopedFd low(ruleset_);
  ruleset_ = ::fcntl(low.raw(), F_DUPFD_CLOEXEC, 3);
  if (ruleset_ < 0) return failed(Stage::kLandlockCreate);
  abi_ = blueprint_->landlock_abi;
  return true;
}

// Orphans of the tree become children of init, which ends them with all others.
bool Setup::become_subreaper() noexcept {
  return ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 || failed(Stage::kParentDeath);
}

}  // namespace pinfold::backend::on_linux::child
