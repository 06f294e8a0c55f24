// given.cc: walls that are not of our own making: a view that somebody else has mounted, or rules alone.
// Invariant: as setup.cc; what was not mounted as asked is a failure.
// Not here: namespaces and mounts of our own (setup.cc, view_ops.cc).
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/scoped.h"
#include "backend/linux/child/setup.h"

namespace pinfold::backend::on_linux::child {

namespace {

// ESTALE where it is not: what stands there is something else.
bool is_mount(int fd) noexcept {
  struct statx info {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_INO, &info) != 0) return false;
  errno = ESTALE;
  // Before 5.8 the kernel does not say.
  return (info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0 || (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

// Whoever mounted this walked names that may have changed meanwhile: what stands there now must be what was meant, and
// as closed as it was meant to be.
bool Setup::check_given() noexcept {
  root_ = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_ < 0) return failed(Stage::kOpenTarget);
  if (!landlock_create()) return false;
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

// What was left to us for the network goes from the bounding set, too.
bool Setup::bound_given() noexcept {
  if (blueprint_->network_by_name && !(lock_securebits() && bound_capabilities())) return false;
  return is_bounded();
}

// Whoever gave us our walls has emptied the bounding set: no exec gives a capability, not even to uid 0.
bool Setup::is_bounded() noexcept {
  errno = EPERM;
  for (unsigned long capability = 0; capability < 64; ++capability) {
    int held = ::prctl(PR_CAPBSET_READ, capability);
    if (held < 0 && capability > 0) break;  // past the last one
    if (held != 0) return failed(Stage::kCapabilities);
  }
  return true;
}

bool Setup::check(const Op& op) noexcept {
  // With the rights that the network needs, bubblewrap brings no terminals (arguments.cc).
  if (op.kind == OpKind::kTerminals && blueprint_->network_by_name && !terminals(op)) return false;
  const bool is_mask = op.kind == OpKind::kMaskFile || op.kind == OpKind::kMaskDirectory;
  const bool is_text = op.kind == OpKind::kMakeFile && op.length > 0;
  const std::uint64_t rights = is_text ? std::uint64_t{LANDLOCK_ACCESS_FS_READ_FILE} : op.landlock;
  const bool is_sealed = op.kind == OpKind::kSealDirectory;
  const bool is_cover = op.kind == OpKind::kCoverFile;
  if (rights == 0 && op.device == 0 && !is_mask && !is_sealed && !is_cover) return true;
  Scoped target(kernel::open_no_links(root_, op.target, O_PATH, RESOLVE_BENEATH));
  if (target.bad()) return failed(Stage::kOpenTarget);
  struct stat info {};
  struct statvfs mount {};
  if (::fstat(target.raw(), &info) != 0 || ::fstatvfs(target.raw(), &mount) != 0) return failed(Stage::kOpenTarget);
  errno = ESTALE;
  if (op.device != 0 && (info.st_dev != op.device || info.st_ino != op.inode)) return failed(Stage::kCheck);
  // A directory above a protected one is shown as it was, but as a mount, which cannot be renamed.
  if ((op.device != 0 || is_cover) && !is_mount(target.raw())) return failed(Stage::kCheck);
  if (is_cover && static_cast<std::size_t>(info.st_size) != op.length) return failed(Stage::kCheck);
  // The entries of devices are not: a read-only mount of bubblewrap's would take the devices away.
  const bool is_entry = op.kind == OpKind::kDevice || (op.kind == OpKind::kMakeFile && S_ISCHR(info.st_mode));
  const bool read_only = !is_entry && (op.attributes & MOUNT_ATTR_RDONLY) != 0;
  const bool closed = is_mask || is_sealed || is_cover || read_only;
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
    Scoped source(kernel::open_no_links(AT_FDCWD, op.source, O_PATH | O_NOFOLLOW, 0));
    if (source.bad()) return failed(Stage::kOpenSource);
    if (!landlock_rule(source.raw(), op.landlock)) return false;
  }
  index_ = -1;
  if (!allow_loaders()) return false;
  // Every command takes it along, past its own 0, 1 and 2.
  Scoped low(ruleset_);
  ruleset_ = ::fcntl(low.raw(), F_DUPFD_CLOEXEC, 3);
  if (ruleset_ < 0) return failed(Stage::kLandlockCreate);
  abi_ = blueprint_->landlock_abi;
  return true;
}

// Whatever loses its parent becomes our child, and is ended with everything else.
bool Setup::gather_orphans() noexcept { return ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 || failed(Stage::kParentDeath); }

}  // namespace pinfold::backend::on_linux::child
