// placeholder.cc: makes, shares and removes placeholders.
#include "backend/linux/protect/placeholder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include "backend/linux/child/pinned_rename.h"
#include "backend/linux/protect/quarantine.h"
#include "base/try.h"
#include "plan/placeholder_mark.h"
#include "sys/call.h"
#include "sys/files.h"
#include "sys/uninterrupted.h"

namespace pinfold::backend::on_linux {
namespace {

using plan::kPlaceholderMark;

sys::Fd open_existing(int directory, const std::string& name) {
  return sys::Fd::adopt(sys::uninterrupted(
      [&] { return ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); }));
}

// nullopt: a call failed.
std::optional<bool> is_ours(int fd) {
  struct stat info {};
  std::array<char, kPlaceholderMark.size() + 1> text{};
  if (::fstat(fd, &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode)) return false;
  const ssize_t size = sys::uninterrupted([&] { return ::pread(fd, text.data(), text.size(), 0); });
  if (size < 0) return std::nullopt;
  return std::string_view(text.data(), static_cast<std::size_t>(size)) == kPlaceholderMark;
}

// True if the name still leads to this very file.
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

// The file is complete when it gets its name: it is written unnamed, then linked.
Result<sys::Fd> Placeholders::create(const Name& name) {
  std::string path = name.parent + "/" + name.name;
  for (int attempt = 0; attempt < 100; ++attempt) {
    PF_TRY(fresh, sys::call_fd("open", path, [&] {
             return ::openat(name.directory.raw(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0444);
           }));
    PF_CHECK(sys::write_all(fresh.raw(), kPlaceholderMark, path));
    PF_TRY(locked, sys::call("flock", path, [&] { return ::flock(fresh.raw(), LOCK_SH); }));
    static_cast<void>(locked);
    std::string unnamed = "/proc/self/fd/" + std::to_string(fresh.raw());
    if (::linkat(AT_FDCWD, unnamed.c_str(), name.directory.raw(), name.name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return fresh;
    if (errno != EEXIST) return tl::unexpected<Error>(sys::os_error("link", path, errno));
    sys::Fd shared = open_existing(name.directory.raw(), name.name);
    if (!shared.is_open()) continue;  // another run has just removed it
    if (!is_ours(shared.raw()).value_or(false))
      return fail(ErrorKind::kSystem, path + " was created while the run started",
                  "start again: it is protected as it is now");
    PF_CHECK(sys::take_lock(shared.raw(), sys::Lock::kShared, path));
    if (is_named(name.directory.raw(), name.name, shared.raw())) return shared;
  }
  return fail(ErrorKind::kSystem, path + ": other runs keep removing it");
}

Result<void> Placeholders::make() {
  for (Name& each : names_) {
    if (!each.directory.is_open()) {  // opened again, to report the errno
      PF_TRY(directory,
             sys::call_fd("open", each.parent,
                          [&] { return ::open(each.parent.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }),
             "making a placeholder for a protected name");
      each.directory = std::move(directory);
    }
    PF_TRY(file, create(each), "making a placeholder for a protected name");
    each.file = std::move(file);
  }
  return {};
}

bool Placeholders::remove() {
  bool all = true;
  for (Name& each : names_) all = remove(each) && all;
  return all;
}

bool Placeholders::remove(Name& name) {
  name.file.reset();  // releases this run's share of the lock
  if (!name.directory.is_open()) return true;
  const OwnerAccess rights(name.directory.raw());  // the command may have closed the directory
  sys::Fd file = open_existing(name.directory.raw(), name.name);
  if (!file.is_open()) return errno == ENOENT || errno == ELOOP;  // a link is not a placeholder
  const auto ours = is_ours(file.raw());
  if (!ours.value_or(true)) return true;
  if (sys::uninterrupted([&] { return ::flock(file.raw(), LOCK_EX | LOCK_NB); }) != 0)
    return errno == EWOULDBLOCK;  // another run holds it and will remove it
  struct stat info {};
  if (!ours || ::fstat(file.raw(), &info) != 0) return false;
  if (!is_named(name.directory.raw(), name.name, file.raw())) return true;
  return child::remove_pinned(
             {name.directory.raw(), name.name.c_str(), info.st_dev, info.st_ino, S_ISDIR(info.st_mode)}) == 0;
}

std::vector<int> Placeholders::descriptors() const {
  std::vector<int> fds;
  for (const Name& each : names_)
    if (each.directory.is_open()) fds.push_back(each.directory.raw());
  return fds;
}

}  // namespace pinfold::backend::on_linux
