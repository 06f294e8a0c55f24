// store.cc: a file written whole or not at all, in a directory that is held.
// Invariant: the bytes are on the disk before they have the name. A file without a name (O_TMPFILE) leaves nothing
// behind when we are killed; where the file system has none, an unpredictable name is used.
// Not here: whether it may be written (access_check.cc).
#include "files/store.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "base/text.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::files {
namespace {

using text::shown;

// A file that is being written, beside the name that it will get.
struct TemporaryFile {
  sys::Fd fd;
  std::string name;  // empty: it has none yet
};

Result<TemporaryFile> open_temporary(const DirectoryEntry& entry, mode_t mode) {
  TemporaryFile out;
  const int unnamed = ::openat(entry.directory.raw(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (unnamed >= 0) {
    out.fd = sys::Fd::adopt(unnamed);
    return out;
  }
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
    return tl::unexpected<Error>(sys::os_error("open", shown(entry.path), errno));
  out.name = sys::temporary_name();
  out.fd = sys::Fd::adopt(open_name(entry.directory.raw(), out.name, O_RDWR | O_CREAT | O_EXCL, mode));
  if (!out.fd.is_open()) return tl::unexpected<Error>(sys::os_error("open", shown(entry.path), errno));
  return out;
}

// An unnamed file gets a name; EEXIST as an errno of its own.
int give_name(const TemporaryFile& temporary, int directory, const std::string& name) {
  const std::string self = "/proc/self/fd/" + std::to_string(temporary.fd.raw());
  return ::linkat(AT_FDCWD, self.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

// The draft's name becomes `name`, which nothing may have yet. 0, or an errno.
int claim_name(const TemporaryFile& temporary, int directory, const std::string& name) {
  const char* from = temporary.name.c_str();
  if (::renameat2(directory, from, directory, name.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // FUSE, NFS and others take no flags; link() never replaces a file.
  if (::linkat(directory, from, directory, name.c_str(), 0) == 0) {
    ::unlinkat(directory, from, 0);
    return 0;
  }
  if (errno == EEXIST) return errno;
  // A file system without hard links (vfat): an empty file takes the name, and the draft replaces it.
  if (!sys::Fd::adopt(open_name(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600)).is_open()) return errno;
  return ::renameat(directory, from, directory, name.c_str()) == 0 ? 0 : errno;
}

void copy_attributes(const DirectoryEntry& from, int to) {
  const std::string source = "/proc/self/fd/" + std::to_string(from.self.raw());  // O_PATH has no other way
  std::array<char, 4096> names{};
  const ssize_t size = ::listxattr(source.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < size;) {
    const char* name = names.data() + at;
    at += static_cast<ssize_t>(std::strlen(name)) + 1;
    const bool kept = std::strncmp(name, "user.", 5) == 0 || std::strcmp(name, "system.posix_acl_access") == 0;
    std::array<char, 65536> value;  // NOLINT: filled by getxattr
    const ssize_t length = kept ? ::getxattr(source.c_str(), name, value.data(), value.size()) : -1;
    if (length >= 0) ::fsetxattr(to, name, value.data(), static_cast<std::size_t>(length), 0);
  }
}

Result<StoreResult> keep_looks(const DirectoryEntry& entry, int fd) {
  StoreResult out;
  struct stat made {};
  if (::fstat(fd, &made) != 0) return tl::unexpected<Error>(sys::os_error("fstat", shown(entry.path), errno));
  const bool same_owner = made.st_uid == entry.info.st_uid;
  const bool same_group = made.st_gid == entry.info.st_gid;
  if (!same_owner && ::fchown(fd, entry.info.st_uid, static_cast<gid_t>(-1)) != 0)
    out.notes.push_back("the owner could not be kept: it is now user " + std::to_string(made.st_uid));
  if (!same_group && ::fchown(fd, static_cast<uid_t>(-1), entry.info.st_gid) != 0)
    out.notes.push_back("the group could not be kept: it is now group " + std::to_string(made.st_gid));
  // As any write does, this takes set-user-ID away.
  if (::fchmod(fd, entry.info.st_mode & 0777U) != 0)
    return tl::unexpected<Error>(sys::os_error("fchmod", shown(entry.path), errno));
  copy_attributes(entry, fd);
  return out;
}

// The name itself must survive a crash, too.
void sync_directory(int directory) {
  const sys::Fd again = sys::Fd::adopt(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (again.is_open()) ::fsync(again.raw());
}

Result<void> fill(const TemporaryFile& temporary, std::string_view bytes, const std::string& path) {
  PF_CHECK(sys::write_all(temporary.fd.raw(), bytes, shown(path)));
  PF_TRY(synced, sys::call("fsync", shown(path), [&] { return ::fsync(temporary.fd.raw()); }));
  static_cast<void>(synced);
  return {};
}

}  // namespace

Result<StoreResult> replace_file(const DirectoryEntry& entry, std::string_view bytes) {
  const int directory = entry.directory.raw();
  PF_TRY(temporary, open_temporary(entry, 0600));
  const auto publish = [&]() -> Result<StoreResult> {
    PF_TRY(stored, keep_looks(entry, temporary.fd.raw()));
    PF_CHECK(fill(temporary, bytes, entry.path));
    if (temporary.name.empty()) {
      std::string name = sys::temporary_name();
      if (const int error = give_name(temporary, directory, name); error != 0)
        return tl::unexpected<Error>(sys::os_error("link", shown(entry.path), error));
      temporary.name = std::move(name);
    }
    if (::renameat(directory, temporary.name.c_str(), directory, entry.name.c_str()) != 0)
      return tl::unexpected<Error>(sys::os_error("rename", shown(entry.path), errno));
    return stored;
  };
  auto done = publish();
  if (!done && !temporary.name.empty()) ::unlinkat(directory, temporary.name.c_str(), 0);
  if (done) sync_directory(directory);
  return done;
}

Result<StoreResult> create_file(const DirectoryEntry& entry, std::string_view bytes) {
  const int directory = entry.directory.raw();
  PF_TRY(temporary, open_temporary(entry, 0666));
  auto filled = fill(temporary, bytes, entry.path);
  int error = 0;
  if (filled)
    error = temporary.name.empty() ? give_name(temporary, directory, entry.name)
                                   : claim_name(temporary, directory, entry.name);
  if ((!filled || error != 0) && !temporary.name.empty()) ::unlinkat(directory, temporary.name.c_str(), 0);
  if (!filled) return tl::unexpected<Error>(std::move(filled).error());
  if (error == EEXIST) return fail(ErrorKind::kInvalid, shown(entry.path) + " exists already", "choose another name");
  if (error != 0) return tl::unexpected<Error>(sys::os_error("link", shown(entry.path), error));
  sync_directory(directory);
  return StoreResult{};
}

}  // namespace pinfold::files
