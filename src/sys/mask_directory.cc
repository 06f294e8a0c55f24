// mask_directory.cc: makes, shares and removes directories that only hide a name.
#include "sys/mask_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <set>

#include "base/paths.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/uninterrupted.h"

namespace pinfold::sys {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kTries = 100;
constexpr const char* kMaking = "making a directory so that the command does not make it";

bool has_mark(const struct stat& info) {
  return S_ISDIR(info.st_mode) && (info.st_mode & 07777U) == kMaskMode && info.st_uid == ::geteuid();
}

bool has_mark(int directory, const char* name) {
  struct stat info {};
  return ::fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && has_mark(info);
}

// Where this user cannot make a name, a command with this user's rights cannot make it either.
bool is_denied(int error) {
  constexpr auto kDenied = std::to_array({EACCES, EPERM, EROFS, ENOTDIR, ENOENT, ELOOP, ENAMETOOLONG});
  return std::find(kDenied.begin(), kDenied.end(), error) != kDenied.end();
}

// The errno, or 0. mkdir() of Linux sets the sticky bit, too.
int make_marked(const std::string& path) {
  int error = 0;
  for (std::size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at);
    error = ::mkdir(path.substr(0, at).c_str(), kMaskMode) == 0 || errno == EEXIST ? 0 : errno;
    if (at != std::string::npos) ++at;
  }
  return error;
}

bool is_named(const std::string& path, int fd) {
  struct stat named {};
  struct stat held {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(fd, &held) == 0 && named.st_dev == held.st_dev &&
         named.st_ino == held.st_ino;
}

// Not open: it is an ordinary directory now.
Result<Fd> hold_one(const std::string& path) {
  for (int i = 0; i < kTries; ++i) {
    if (const int error = make_marked(path); error != 0 && error != ENOENT)
      return tl::unexpected<Error>(os_error("mkdir", path, error).within(kMaking));
    auto fd = Fd::adopt(uninterrupted([&] { return ::open(path.c_str(), kDirectoryFlags); }));
    if (!fd.is_open() && errno != ENOENT) return tl::unexpected<Error>(os_error("open", path, errno).within(kMaking));
    struct stat info {};
    if (!fd.is_open()) continue;  // another run has just removed it
    if (::fstat(fd.raw(), &info) == 0 && !has_mark(info)) return Fd();
    // Only for an instant does another run hold it alone, to remove it. A command on the landlock backend can lock it
    // for longer; then it stays, and the last run that shares it removes it.
    if (::flock(fd.raw(), LOCK_SH | LOCK_NB) == 0 || i == kTries - 1)
      if (is_named(path, fd.raw())) return fd;
    const std::timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return fail(ErrorKind::kSystem, path + ": other runs keep removing it", "start again");
}

bool holds_a_mark(int directory) {
  const int copy = ::openat(directory, ".", kDirectoryFlags);
  std::unique_ptr<DIR, int (*)(DIR*)> entries(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && has_mark(directory, entry->d_name)) return true;
  }
  return false;
}

bool remove_one(const std::string& path) {
  const auto fd = Fd::adopt(uninterrupted([&] { return ::open(path.c_str(), kDirectoryFlags); }));
  if (!fd.is_open()) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES;
  struct stat info {};
  if (::fstat(fd.raw(), &info) != 0) return false;
  if (!has_mark(info)) return true;
  if (uninterrupted([&] { return ::flock(fd.raw(), LOCK_EX | LOCK_NB); }) != 0) return errno == EWOULDBLOCK;
  if (!is_named(path, fd.raw()) || ::rmdir(path.c_str()) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return false;
  // It is in use: by other runs (then it keeps its mark), or as an ordinary directory.
  return holds_a_mark(fd.raw()) || ::fchmod(fd.raw(), 0700) == 0;
}

}  // namespace

Result<void> MaskDirectories::make(const std::string& path) {
  paths_.push_back(path);  // also removes the part that was made before an error
  if (const int error = make_marked(path); error != 0 && !is_denied(error))
    return tl::unexpected<Error>(os_error("mkdir", path, error).within(kMaking));
  return {};
}

Result<void> MaskDirectories::hold() {
  for (const std::string& path : paths_) {
    PF_TRY(fd, hold_one(path));
    if (fd.is_open()) held_.push_back(std::move(fd));
  }
  return {};
}

bool MaskDirectories::remove() {
  held_.clear();
  std::set<std::string> all;
  for (const std::string& path : paths_)
    for (std::string_view at = path; at.size() > 1; at = paths::parent(at)) all.emplace(at);
  std::vector<std::string> deepest_first(all.begin(), all.end());
  std::stable_sort(deepest_first.begin(), deepest_first.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  bool complete = true;
  for (const std::string& path : deepest_first) complete = remove_one(path) && complete;
  return complete;
}

bool MaskDirectories::is_mask_or_missing(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? has_mark(info) : errno == ENOENT || errno == ENOTDIR;
}

}  // namespace pinfold::sys
