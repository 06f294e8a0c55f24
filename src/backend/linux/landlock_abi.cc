// landlock_abi.cc: Landlock's access rights by ABI and view.
// Not here: any system call except the query of the ABI version.
#include "backend/linux/landlock_abi.h"

#include <cerrno>

#include "backend/linux/child/kernel.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::uint64_t kFileRead = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kFileWrite =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV;
constexpr std::uint64_t kRead = kFileRead | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWrite = kFileWrite | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;
constexpr std::uint64_t kFileRights = kFileRead | kFileWrite | LANDLOCK_ACCESS_FS_EXECUTE;

}  // namespace

Result<LandlockSupport> probe_landlock() {
  int abi = kernel::landlock_create(nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi >= 2) return LandlockSupport{abi, ""};
  if (abi == 1) return LandlockSupport{0, "Landlock ABI 1 cannot allow renames between directories"};
  if (errno == ENOSYS) return LandlockSupport{0, "this kernel has no Landlock"};
  if (errno == EOPNOTSUPP) return LandlockSupport{0, "Landlock is switched off on this host"};
  return tl::unexpected<Error>(sys::os_error("landlock_create_ruleset", "version", errno));
}

std::uint64_t landlock_handled(int abi) {
  if (abi == 0) return 0;
  std::uint64_t handled = kRead | kWrite | LANDLOCK_ACCESS_FS_EXECUTE;
  if (abi < 3) handled &= ~std::uint64_t{LANDLOCK_ACCESS_FS_TRUNCATE};
  if (abi < 5) handled &= ~std::uint64_t{LANDLOCK_ACCESS_FS_IOCTL_DEV};
  return handled;
}

std::uint64_t landlock_rights(View view, EntryKind kind) {
  std::uint64_t rights = kRead;
  if (view == View::kWrite || view == View::kWriteExec) rights |= kWrite;
  if (view == View::kReadExec || view == View::kWriteExec) rights |= LANDLOCK_ACCESS_FS_EXECUTE;
  return kind == EntryKind::kFile ? rights & kFileRights : rights;
}

std::uint64_t landlock_rights_behind_mounts(View view, EntryKind kind) {
  const bool read_only = view == View::kRead || view == View::kReadExec;
  return landlock_rights(view, kind) |
         (read_only ? LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV : std::uint64_t{0});
}

std::uint64_t landlock_device_rights() { return kFileRead | kFileWrite; }

}  // namespace pinfold::backend::on_linux
