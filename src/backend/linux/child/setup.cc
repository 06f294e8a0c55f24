// setup.cc: the sequence from fresh namespaces to a confined process that cannot undo it.
// Invariant: no allocation, no exceptions; stops at the first failure and records stage and errno.
// Not here: applying mount operations (mount_ops.cc), choosing the mounts (plan), texts (failure.cc).
#include "backend/linux/child/setup.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/scoped_fd.h"

namespace pinfold::backend::on_linux::child {

bool Setup::prepare() noexcept {
  if (options_.method == ConfinementMethod::kLandlockOnly)
    return become_subreaper() && lock_privileges() && join_new_keyring() && bound_capabilities();
  if (options_.method == ConfinementMethod::kBubblewrap)
    return die_with_parent() && lock_privileges() && join_new_keyring();
  return die_with_parent() && leave_namespaces() && start_network() && map_ids() && skeleton() && prepare_mounts() &&
         lock_privileges() && join_new_keyring() && bound_capabilities();
}

bool Setup::confine(const Blueprint& blueprint) noexcept {
  blueprint_ = &blueprint;
  bool up = false;
  switch (options_.method) {
    case ConfinementMethod::kNamespaces: up = confine_by_namespaces(); break;
    case ConfinementMethod::kBubblewrap:
      up = route_to_itself() && verify_mounts() && drop_bubblewrap_capabilities() && landlock_restrict();
      break;
    case ConfinementMethod::kLandlockOnly: up = make_rules(); break;
  }
  return up && drop_capabilities() && become_unreadable();
}

bool Setup::confine_by_namespaces() noexcept {
  return landlock_create() && apply_ops() && enter_network() && route_to_itself() && enter_root() &&
         limit_processes() && landlock_restrict();
}

bool Setup::failed(Stage stage) noexcept {
  failure_ = Failure{stage, errno, index_};
  return false;
}

bool Setup::die_with_parent() noexcept {
  // If the parent died before this call, init finds its control socket closed.
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 || failed(Stage::kParentDeath);
}

bool Setup::leave_namespaces() noexcept {
  return ::unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP) == 0 || failed(Stage::kNamespaces);
}

bool Setup::write_file(const char* path, const char* text) noexcept {
  ScopedFd fd(::open(path, O_WRONLY | O_CLOEXEC));
  return !fd.bad() && ::write(fd.raw(), text, std::strlen(text)) >= 0;
}

// The caller's own ids and no others; setgroups must be given up first.
bool Setup::map_ids() noexcept {
  return (write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", options_.uid_map) &&
          write_file("/proc/self/gid_map", options_.gid_map)) ||
         failed(Stage::kIdMap);
}

int Setup::new_filesystem(const char* type, const char* const (*options)[2], std::size_t count,
                          std::uint64_t attributes) noexcept {
  ScopedFd context(kernel::fsopen(type));
  if (context.bad()) return -1;
  for (std::size_t i = 0; i < count; ++i)
    if (kernel::fsconfig(context.raw(), FSCONFIG_SET_STRING, options[i][0], options[i][1]) != 0) return -1;
  if (kernel::fsconfig(context.raw(), FSCONFIG_CMD_CREATE, nullptr, nullptr) != 0) return -1;
  return kernel::fsmount(context.raw(), attributes);
}

// A tmpfs that becomes the new root. It is attached over "/" so that other mounts can be moved into it.
bool Setup::skeleton() noexcept {
  static constexpr const char* kOptions[][2] = {{"mode", "0755"}, {"size", "16m"}};
  skeleton_ = new_filesystem("tmpfs", kOptions, 2, kQuiet);
  if (skeleton_ < 0) return failed(Stage::kSkeleton);
  if (kernel::move_mount(skeleton_, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) != 0) return failed(Stage::kSkeleton);
  if (!make_stubs()) return failed(Stage::kSkeleton);
  root_ = skeleton_;
  return true;
}

bool Setup::make_stubs() noexcept {
  if (::mkdirat(skeleton_, "proc", 0755) != 0) return false;
  stubs_ = ::openat(skeleton_, "proc", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return stubs_ >= 0 && ::mknodat(stubs_, kStubFile, S_IFREG, 0) == 0 && ::mkdirat(stubs_, kStubDirectory, 0) == 0;
}

int Setup::device_tree(const char* path) noexcept {
  ScopedFd source(kernel::open_no_links(AT_FDCWD, path, O_PATH | O_NOFOLLOW, 0));
  if (source.bad()) return -1;
  return kernel::open_tree(source.raw(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

int Setup::proc_tree() noexcept { return new_filesystem("proc", nullptr, 0, kQuiet | MOUNT_ATTR_NOEXEC); }

int Setup::terminals_tree() noexcept {
  static constexpr const char* kOptions[][2] = {{"ptmxmode", "0666"}, {"mode", "0620"}};
  return new_filesystem("devpts", kOptions, 2, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
}

// The plan will ask for these entries in the skeleton; unless it shows the host's own root.
void Setup::populate_skeleton() noexcept {
  for (const char* directory : {"dev", "dev/pts"}) ::mkdirat(skeleton_, directory, 0755);
  for (const char* device : kDevices) ::mknodat(skeleton_, device + 1, S_IFREG | 0444, 0);
  for (const auto& [at, target] : kDeviceLinks) ::symlinkat(target, skeleton_, at + 1);
  attach_prepared(proc_, "proc");
  attach_prepared(terminals_, "dev/pts");
  for (std::size_t i = 0; i < kDeviceCount; ++i) attach_prepared(devices_[i], kDevices[i] + 1);
}

// A mount that cannot be made now is tried again with its op, and fails there with that op's error.
bool Setup::prepare_mounts() noexcept {
  proc_.tree = proc_tree();
  terminals_.tree = terminals_tree();
  for (std::size_t i = 0; i < kDeviceCount; ++i)
    devices_[i] = PreparedMount{device_tree(kDevices[i]), kDeviceAttributes};
  populate_skeleton();
  new_scratch(options_.scratch_size);
  failure_ = Failure{Stage::kNone, 0, -1};
  return true;
}

bool Setup::landlock_create() noexcept {
  if (blueprint_->landlock_abi == 0) return true;
  kernel::RulesetAttributes attributes{blueprint_->landlock_handled, blueprint_->landlock_net,
                                       blueprint_->landlock_scoped};
  ruleset_ = kernel::landlock_create(&attributes, sizeof attributes, 0);
  if (ruleset_ < 0) return failed(Stage::kLandlockCreate);
  return root_ < 0 || landlock_rule(root_, blueprint_->landlock_root);
}

bool Setup::landlock_rule(int fd, std::uint64_t access) noexcept {
  access &= blueprint_->landlock_handled;
  if (ruleset_ < 0 || access == 0) return true;
  return kernel::landlock_add_path(ruleset_, fd, access) == 0 || failed(Stage::kLandlockRule);
}

// pid_max lies below /proc/sys, which is read-only by now for root: the write goes through a fresh, unattached /proc.
bool Setup::limit_processes() noexcept {
  if (blueprint_->pid_max == nullptr) return true;
  ScopedFd tree(proc_tree());
  if (tree.bad()) return failed(Stage::kPidMax);
  ScopedFd file(::openat(tree.raw(), "sys/kernel/pid_max", O_WRONLY | O_CLOEXEC));
  if (file.bad()) return failed(Stage::kPidMax);
  return ::write(file.raw(), blueprint_->pid_max, std::strlen(blueprint_->pid_max)) > 0 || failed(Stage::kPidMax);
}

bool Setup::enter_root() noexcept {
  if (ruleset_ >= 0 && !allow_loaders()) return false;
  if (!blueprint_->root_is_shown && !restrict_mount(root_, MOUNT_ATTR_RDONLY, Depth::kOneMount))
    return failed(Stage::kSealRoot);
  if (::fchdir(root_) != 0) return failed(Stage::kPivot);
  // "." over ".": the old root ends up on top of the new one and is detached from there.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return failed(Stage::kPivot);
  // With the host's "/" as the root, the skeleton lies above and below it: it was attached there, and the clone of "/"
  // contains a copy of it.
  for (int layers = root_ == skeleton_ ? 1 : 3; layers > 0; --layers)
    if (::umount2(".", MNT_DETACH) != 0) return failed(Stage::kDetach);
  if (::chdir("/") != 0 || !nothing_above_root()) return failed(Stage::kDetach);
  if (root_ != skeleton_) ::close(root_);
  if (scratch_ >= 0) ::close(scratch_);
  ::close(stubs_);
  ::close(skeleton_);
  return true;
}

// "/.." resolves to the mount on top of "/": an old root left there would expose the whole host.
bool Setup::nothing_above_root() noexcept {
  struct statx above {};
  struct statx root {};
  if (::statx(AT_FDCWD, "/..", 0, STATX_MNT_ID, &above) != 0 ||
      ::statx(root_, "", AT_EMPTY_PATH, STATX_MNT_ID, &root) != 0)
    return false;
  errno = EBUSY;
  return (above.stx_mask & root.stx_mask & STATX_MNT_ID) != 0 && above.stx_mnt_id == root.stx_mnt_id;
}

bool Setup::allow_loaders() noexcept {
  for (const char* path : blueprint_->landlock_execute) {
    if (path == nullptr) break;
    ScopedFd file(kernel::open_no_links(AT_FDCWD, path, O_PATH, 0));
    if (file.bad()) return failed(Stage::kLandlockRule);
    if (!landlock_rule(file.raw(), LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)) return false;
  }
  return true;
}

// Without capabilities, as where the host refuses user namespaces, these bits preserve none: no_new_privs alone
// prevents exec from giving any.
bool Setup::lock_privileges() noexcept {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed(Stage::kNoNewPrivileges);
  return options_.method == ConfinementMethod::kBubblewrap || lock_securebits();  // drop_bubblewrap_capabilities()
}

bool Setup::lock_securebits() noexcept {
  constexpr unsigned long kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                  SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                  SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  return ::prctl(PR_SET_SECUREBITS, kBits) == 0 || is_tolerated(EPERM) || failed(Stage::kCapabilities);
}

bool Setup::is_tolerated(int error) const noexcept {
  return options_.method == ConfinementMethod::kLandlockOnly && errno == error;
}

bool Setup::landlock_restrict() noexcept {
  if (ruleset_ < 0) return true;
  if (kernel::landlock_restrict(ruleset_) != 0) return failed(Stage::kLandlockRestrict);
  ::close(ruleset_);
  abi_ = blueprint_->landlock_abi;
  return true;
}

// Joins a new, empty session keyring. ENOSYS: this kernel has no keys. EPERM: a seccomp filter around us, as in many
// containers, denies access to keys in any case.
bool Setup::join_new_keyring() noexcept {
  return ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) != -1 || errno == ENOSYS || errno == EPERM ||
         failed(Stage::kKeyring);
}

// The bounding set limits the capabilities that an exec may give; drop_capabilities() drops those that init still needs
// for its mounts.
bool Setup::bound_capabilities() noexcept {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability) != 0) {
      if (is_tolerated(EPERM)) break;
      if (errno != EINVAL || capability == 0) return failed(Stage::kCapabilities);
      break;  // past the last one
    }
  }
  return true;
}

// CAP_NET_BIND_SERVICE stays where init opens the sockets of granted ports; no exec inherits it.
bool Setup::drop_capabilities() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct left[2] = {};
  if (blueprint_->network_by_name) left[0].effective = left[0].permitted = 1U << CAP_NET_BIND_SERVICE;
  return ::syscall(SYS_capset, &header, left) == 0 || failed(Stage::kCapabilities);
}

// This process is a copy of the supervisor: processes inside must not read its memory or its environment.
bool Setup::become_unreadable() noexcept { return ::prctl(PR_SET_DUMPABLE, 0) == 0 || failed(Stage::kUndumpable); }

}  // namespace pinfold::backend::on_linux::child
