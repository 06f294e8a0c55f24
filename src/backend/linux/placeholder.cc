// placeholder.cc: makes, shares and removes placeholders.
#include "backend/linux/placeholder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "backend/linux/aside.h"
#include "base/try.h"
#include "plan/placeholder_mark.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

using plan::kPlaceholderMark;

sys::Fd open_existing(int directory, const std::string& name) {
  return sys::Fd::adopt(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

bool is_ours(int fd) {
  struct stat info {};
  std::array<char, kPlaceholderMark.size() + 1> text{};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
         ::pread(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(kPlaceholderMark.size()) &&
         std::string_view(text.data(), kPlaceholderMark.size()) == kPlaceholderMark;
}

// The name still leads to this very file.
bool is_named(int directory, const std::string& name, int fd) {
  struct stat named {};
  struct stat held {};
  return ::fstatat(directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(fd, &held) == 0 &&
         named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

}  // namespace

Placeholders::Placeholders(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (const auto* name = std::get_if<ProtectName>(&step.body);
        name != nullptr && name->guard == NameGuard::kPlaceholder)
      names_.push_back(Name{
          name->parent, name->name,
          sys::Fd::adopt(::open(name->parent.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)), sys::Fd()});
}

// Complete from its first moment under its name: written without one, then linked.
Result<sys::Fd> Placeholders::hold(const Name& name) {
  std::string path = name.parent + "/" + name.name;
  for (int attempt = 0; attempt < 100; ++attempt) {
    PF_TRY(fresh,
           sys::call_fd("open", path,
                        [&] { return ::openat(name.directory.raw(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0444); }),
           "");
    PF_TRY(size,
           sys::call("write", path,
                     [&] { return ::write(fresh.raw(), kPlaceholderMark.data(), kPlaceholderMark.size()); }),
           "");
    static_cast<void>(size);
    ::flock(fresh.raw(), LOCK_SH);
    std::string unnamed = "/proc/self/fd/" + std::to_string(fresh.raw());
    if (::linkat(AT_FDCWD, unnamed.c_str(), name.directory.raw(), name.name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return fresh;
    if (errno != EEXIST) return tl::unexpected<Error>(sys::os_error("link", path, errno));
    sys::Fd shared = open_existing(name.directory.raw(), name.name);
    if (!shared.is_open()) continue;  // just removed
    if (!is_ours(shared.raw()))
      return fail(ErrorKind::kSystem, path + " has come into being meanwhile",
                  "start again: it is protected as it is now");
    if (::flock(shared.raw(), LOCK_SH) == 0 && is_named(name.directory.raw(), name.name, shared.raw())) return shared;
  }
  return fail(ErrorKind::kSystem, path + ": other runs keep removing it");
}

Result<void> Placeholders::make() {
  for (Name& each : names_) {
    PF_TRY(file, hold(each), "holding the place of a protected name");
    each.file = std::move(file);
  }
  return {};
}

void Placeholders::remove() {
  for (Name& each : names_) {
    each.file.reset();  // gives this run's share back
    if (!each.directory.is_open()) continue;
    const OwnersRights rights(each.directory.raw());  // the command may have closed the directory
    sys::Fd file = open_existing(each.directory.raw(), each.name);
    if (!file.is_open() || !is_ours(file.raw())) continue;
    if (::flock(file.raw(), LOCK_EX | LOCK_NB) != 0) continue;  // another run holds it and will remove it
    if (is_named(each.directory.raw(), each.name, file.raw())) ::unlinkat(each.directory.raw(), each.name.c_str(), 0);
  }
}

std::vector<int> Placeholders::descriptors() const {
  std::vector<int> fds;
  for (const Name& each : names_)
    if (each.directory.is_open()) fds.push_back(each.directory.raw());
  return fds;
}

}  // namespace pinfold::backend::on_linux
