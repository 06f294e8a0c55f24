// find.cc: looks for bubblewrap in directories that only root can write.
#include "backend/linux/bubblewrap/find.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using text::shown;

constexpr int kMostLinks = 8;

tl::unexpected<Error> distrust(const std::string& path, const char* why) {
  return fail(ErrorKind::kUnavailable, shown(path) + " is not trusted: " + why);
}

// In a sticky directory, other users cannot rename or remove the owners' files.
Result<void> check_owner(const std::string& path, const struct stat& info, const std::vector<uid_t>& owners) {
  if (std::find(owners.begin(), owners.end(), info.st_uid) == owners.end())
    return distrust(path, "it belongs to another user");
  const bool is_sticky = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !is_sticky) return distrust(path, "other users may write to it");
  return {};
}

Result<void> check_directories(std::string directory, const std::vector<uid_t>& owners) {
  for (;;) {
    struct stat info {};
    if (::lstat(directory.c_str(), &info) != 0) return tl::unexpected<Error>(sys::os_error("lstat", directory, errno));
    PF_CHECK(check_owner(directory, info, owners));
    if (directory == "/") return {};
    directory = paths::parent(directory);
  }
}

Result<std::string> canonical(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (!real) return tl::unexpected<Error>(sys::os_error("realpath", path, errno));
  return std::string(real.get());
}

Result<std::string> link_target(const std::string& link) {
  std::string target(PATH_MAX, '\0');
  PF_TRY(size, sys::call("readlink", link, [&] { return ::readlink(link.c_str(), target.data(), target.size()); }));
  target.resize(static_cast<std::size_t>(size));
  return target.starts_with("/") ? target : paths::join(paths::parent(link), target);
}

}  // namespace

Result<sys::Fd> open_trusted_program(const std::string& path, const std::vector<uid_t>& owners) {
  std::string at = path;
  for (int links = 0; links < kMostLinks; ++links) {
    PF_TRY(directory, canonical(std::string(paths::parent(at))));
    PF_CHECK(check_directories(directory, owners));
    at = paths::join(directory, paths::basename(at));
    PF_TRY(file, sys::call_fd("open", at, [&] { return ::open(at.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC); }));
    struct stat info {};
    if (::fstat(file.raw(), &info) != 0) return tl::unexpected<Error>(sys::os_error("fstat", at, errno));
    if (S_ISLNK(info.st_mode)) {
      PF_TRY(target, link_target(at));
      at = std::move(target);
      continue;
    }
    if (!S_ISREG(info.st_mode)) return distrust(at, "it is not a file");
    PF_CHECK(check_owner(at, info, owners));
    if ((info.st_mode & 0111) == 0) return distrust(at, "it cannot be executed");
    return file;
  }
  return distrust(path, "too many symlinks");
}

const std::vector<std::string>& system_directories() {
  // The last two: systems on which programs are links into a package store.
  static const std::vector<std::string> directories = {
      "/usr/bin", "/bin", "/usr/local/bin", "/usr/libexec", "/run/wrappers/bin", "/run/current-system/sw/bin"};
  return directories;
}

Result<BubblewrapProgram> find_bubblewrap(const std::vector<std::string>& directories,
                                          const std::vector<uid_t>& owners) {
  std::string why;
  for (const std::string& directory : directories) {
    const std::string path = paths::join(directory, "bwrap");
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) continue;
    auto program = open_trusted_program(path, owners);
    if (!program) {
      why += (why.empty() ? "" : "; ") + program.error().text();
      continue;
    }
    const bool is_setuid = ::fstat(program->raw(), &info) == 0 && (info.st_mode & S_ISUID) != 0;
    return BubblewrapProgram{path, std::move(*program), is_setuid};
  }
  return fail(ErrorKind::kUnavailable, why.empty() ? "bubblewrap is not installed" : "no trusted bubblewrap: " + why,
              "install your system's bubblewrap package (PATH is not searched)");
}

}  // namespace pinfold::backend::on_linux
