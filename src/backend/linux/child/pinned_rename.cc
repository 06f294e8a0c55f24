// pinned_rename.cc: quarantines the name, compares, then removes, renames or restores it.
#include "backend/linux/child/pinned_rename.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "backend/linux/child/scoped_fd.h"

namespace pinfold::backend::on_linux::child {
namespace {

constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
constexpr unsigned kExchange = 2;   // RENAME_EXCHANGE
constexpr int kMostTries = 16;

int rename_with(int from, const char* name, int to, const char* new_name, unsigned flags) noexcept {
  return static_cast<int>(::syscall(SYS_renameat2, from, name, to, new_name, flags));
}

bool is_missing_flag(int error) noexcept { return error == EINVAL || error == ENOSYS; }

bool leads_to(int parent, const char* name, const PinnedName& pinned) noexcept {
  struct stat info {};
  return ::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && info.st_dev == pinned.device &&
         info.st_ino == pinned.inode;
}

// The random name of a quarantined file: hidden by a dot, and with Pinfold's name in case a crash leaves it behind.
class Quarantine {
 public:
  explicit Quarantine(const PinnedName& pinned) noexcept : pinned_(pinned) {}

  const char* name() const noexcept { return name_; }

  bool move() noexcept {
    for (int i = 0; i < kMostTries; ++i) {
      if (!choose_name()) return false;
      if (rename_with(pinned_.parent, pinned_.name, pinned_.parent, name_, kNoReplace) == 0) return true;
      if (is_missing_flag(errno)) return rename_with(pinned_.parent, pinned_.name, pinned_.parent, name_, 0) == 0;
      if (errno != EEXIST) return false;
    }
    return false;
  }

  // A file that has taken the name since then gets the random name instead.
  int put_back(int error) noexcept {
    if (rename_with(pinned_.parent, name_, pinned_.parent, pinned_.name, kNoReplace) == 0) return error;
    if (errno == EEXIST && rename_with(pinned_.parent, name_, pinned_.parent, pinned_.name, kExchange) == 0)
      return error;
    if (!is_missing_flag(errno)) return error;
    if (::linkat(pinned_.parent, name_, pinned_.parent, pinned_.name, 0) == 0) {
      static_cast<void>(::unlinkat(pinned_.parent, name_, 0));
    } else if (errno != EEXIST) {  // a directory
      static_cast<void>(rename_with(pinned_.parent, name_, pinned_.parent, pinned_.name, 0));
    }
    return error;
  }

 private:
  bool choose_name() noexcept {
    unsigned char bytes[8];
    if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return false;
    constexpr char kStart[] = ".pinfold-aside-";
    std::memcpy(name_, kStart, sizeof kStart - 1);
    char* end = name_ + sizeof kStart - 1;
    for (const unsigned char byte : bytes) {
      *end++ = "0123456789abcdef"[byte >> 4U];
      *end++ = "0123456789abcdef"[byte & 15U];
    }
    *end = '\0';
    return true;
  }

  const PinnedName& pinned_;
  char name_[40];
};

// Checked before the rename: a refused rmdir() must not move a directory that is in use.
bool has_entries(const PinnedName& at) noexcept {
  ScopedFd directory(::openat(at.parent, at.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory.bad()) return false;
  alignas(dirent64) char buffer[1024];
  int entries = 0;
  for (;;) {
    const long got = ::syscall(SYS_getdents64, directory.raw(), buffer, sizeof buffer);
    if (got <= 0) return false;
    for (long i = 0; i < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + i);
      if (++entries > 2) return true;  // besides "." and ".."
      i += entry->d_reclen;
    }
  }
}

int rename_to_new(const PinnedName& from, const PinnedName& to, unsigned flags, Quarantine& quarantine) noexcept {
  if (rename_with(from.parent, quarantine.name(), to.parent, to.name, kNoReplace) == 0) return 0;
  const int taken = flags == kNoReplace ? EEXIST : kOtherFile;
  if (errno == EEXIST) return quarantine.put_back(taken);
  if (!is_missing_flag(errno)) return quarantine.put_back(errno);
  struct stat info {};
  if (::fstatat(to.parent, to.name, &info, AT_SYMLINK_NOFOLLOW) == 0) return quarantine.put_back(taken);
  return rename_with(from.parent, quarantine.name(), to.parent, to.name, 0) == 0 ? 0 : quarantine.put_back(errno);
}

// Exchanges both names, so that the replaced file can still be compared and restored.
int rename_over(const PinnedName& from, const PinnedName& to, Quarantine& quarantine) noexcept {
  if (rename_with(from.parent, quarantine.name(), to.parent, to.name, kExchange) != 0) {
    if (!is_missing_flag(errno)) return quarantine.put_back(errno);
    if (!leads_to(to.parent, to.name, to)) return quarantine.put_back(kOtherFile);
    if (rename_with(from.parent, quarantine.name(), to.parent, to.name, 0) == 0) return 0;
    return quarantine.put_back(errno);
  }
  int error = kOtherFile;
  if (leads_to(from.parent, quarantine.name(), to)) {
    if (::unlinkat(from.parent, quarantine.name(), to.directory ? AT_REMOVEDIR : 0) == 0) return 0;
    error = errno;
  }
  if (rename_with(from.parent, quarantine.name(), to.parent, to.name, kExchange) != 0) return error;
  return quarantine.put_back(error);
}

int exchange(const PinnedName& from, const PinnedName& to) noexcept {
  if (rename_with(from.parent, from.name, to.parent, to.name, kExchange) != 0) return errno;
  if (leads_to(from.parent, from.name, to) && leads_to(to.parent, to.name, from)) return 0;
  static_cast<void>(rename_with(from.parent, from.name, to.parent, to.name, kExchange));
  return kOtherFile;
}

}  // namespace

int remove_pinned(const PinnedName& at) noexcept {
  if (at.inode == 0) return ENOENT;
  if (at.directory && has_entries(at)) return ENOTEMPTY;
  Quarantine quarantine(at);
  if (!quarantine.move()) return errno;
  if (!leads_to(at.parent, quarantine.name(), at)) return quarantine.put_back(kOtherFile);
  if (::unlinkat(at.parent, quarantine.name(), at.directory ? AT_REMOVEDIR : 0) == 0) return 0;
  return quarantine.put_back(errno);
}

int rename_pinned(const PinnedName& from, const PinnedName& to, unsigned flags) noexcept {
  if ((flags & ~(kNoReplace | kExchange)) != 0 || flags == (kNoReplace | kExchange)) return EINVAL;
  const bool replaces = to.inode != 0;
  if (from.inode == 0 || (flags == kExchange && !replaces)) return ENOENT;
  if (flags == kExchange) return exchange(from, to);
  if (flags == kNoReplace && replaces) return EEXIST;
  if (replaces) {
    if (from.device == to.device && from.inode == to.inode) return 0;  // as rename() does for two names of one file
    if (from.directory && !to.directory) return ENOTDIR;
    if (!from.directory && to.directory) return EISDIR;
    if (to.directory && has_entries(to)) return ENOTEMPTY;
  }
  Quarantine quarantine(from);
  if (!quarantine.move()) return errno;
  if (!leads_to(from.parent, quarantine.name(), from)) return quarantine.put_back(kOtherFile);
  return replaces ? rename_over(from, to, quarantine) : rename_to_new(from, to, flags, quarantine);
}

}  // namespace pinfold::backend::on_linux::child
