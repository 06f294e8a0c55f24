// dir_entry.h: looks up one name in a directory.
// Invariant: an error such as EIO is not taken for a missing name: cleaning must not leave a file armed because a call
// failed.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace pinfold::backend::on_linux {

struct DirEntry {
  struct stat info {};  // valid if the name exists
  int error = 0;        // 0: the name exists; ENOENT, ENOTDIR: it does not; any other: unknown

  bool exists() const { return error == 0; }
  bool is_missing() const { return error == ENOENT || error == ENOTDIR; }
  bool is_unknown() const { return !exists() && !is_missing(); }
  bool is_directory() const { return exists() && S_ISDIR(info.st_mode); }
};

// Follows no symlink. Tries twice: memory may be short for one call only.
inline DirEntry look_up(int directory, const std::string& name) {
  DirEntry entry;
  for (int i = 0; i < 2; ++i) {
    entry.error = ::fstatat(directory, name.c_str(), &entry.info, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    if (!entry.is_unknown()) break;
  }
  return entry;
}

}  // namespace pinfold::backend::on_linux
