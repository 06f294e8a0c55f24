// deed.cc: pins, compares, does.
#include "backend/linux/deed.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "backend/linux/child/kernel.h"
#include "backend/linux/notify.h"
#include "base/paths.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

// Of those that open() knows, what makes sense for a file that somebody else opens.
constexpr std::uint64_t kPassedOn = O_ACCMODE | O_APPEND | O_TRUNC | O_NONBLOCK | O_DSYNC | O_SYNC | O_DIRECT;

std::optional<FileIdentity> look(const Pinned& place, bool* regular) {
  struct stat info {};
  if (::fstatat(place.parent.raw(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (regular != nullptr) *regular = S_ISREG(info.st_mode);
  return FileIdentity{info.st_dev, info.st_ino};
}

// The caller's own, as a new file would have it.
std::uint32_t umask_of(std::uint32_t pid) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(("/proc/" + std::to_string(pid) + "/status").c_str(), "re"),
                                             std::fclose);
  std::array<char, 256> line{};
  unsigned mask = 0;
  while (file && std::fgets(line.data(), line.size(), file.get()) != nullptr)
    if (std::sscanf(line.data(), "Umask: %o", &mask) == 1) return mask;
  return 077;
}

std::uint64_t cloexec(std::uint64_t flags) { return flags & O_CLOEXEC; }

}  // namespace

Result<Pinned> pin(const std::string& path) {
  Pinned out;
  out.path = path;
  out.name = paths::basename(path);
  const std::string parent(paths::parent(path));
  out.parent = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, parent.c_str(), O_PATH | O_DIRECTORY, 0));
  if (!out.parent.is_open() || out.name.empty())
    return tl::unexpected<Error>(sys::os_error("open", parent.c_str(), errno));
  out.held = sys::Fd::adopt(::openat(out.parent.raw(), out.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  out.file = look(out, &out.regular);
  return out;
}

std::optional<Deed> Deed::of(const seccomp_notif& call, const Attempts& attempts,
                             const std::vector<std::string>& on_host) {
  if (attempts.files.empty() || attempts.files.size() != on_host.size()) return std::nullopt;
  const Act act = attempts.files.front().act;
  std::optional<Kind> kind;
  if (act == Act::kRead || act == Act::kWrite) kind = Kind::kOpen;
  if (act == Act::kMakeDirectory) kind = Kind::kMakeDirectory;
  if (act == Act::kDelete) kind = Kind::kDelete;
  if (act == Act::kRemoveDirectory) kind = Kind::kRemoveDirectory;
  if (act == Act::kRename) kind = Kind::kRename;
  if (!kind) return std::nullopt;
  Deed out(*kind);
  for (const std::string& path : on_host) {
    auto place = pin(path);
    if (!place) return std::nullopt;
    out.places_.push_back(std::move(*place));
  }
  switch (*kind) {
    case Kind::kOpen:
      if (!out.take_open(call)) return std::nullopt;
      break;
    case Kind::kMakeDirectory:
      out.mode_ = static_cast<std::uint32_t>(call.data.args[call.data.nr == __NR_mkdirat ? 2 : 1]);
      break;
    case Kind::kRename:
      if (call.data.nr == __NR_renameat2) out.flags_ = call.data.args[4];
      if (out.places_.size() != 2) return std::nullopt;
      break;
    default: break;
  }
  return out;
}

bool Deed::take_open(const seccomp_notif& call) {
  int first = 1;  // of flags and mode
  if (call.data.nr == __NR_openat) {
    first = 2;
#ifdef __NR_open
  } else if (call.data.nr == __NR_creat) {
    flags_ = O_CREAT | O_WRONLY | O_TRUNC;
    mode_ = static_cast<std::uint32_t>(call.data.args[1]);
    return !places_[0].file || places_[0].regular;
  } else if (call.data.nr != __NR_open) {
#else
  } else {
#endif
    return false;  // truncate() and the like
  }
  flags_ = call.data.args[first];
  mode_ = static_cast<std::uint32_t>(call.data.args[first + 1]);
  if ((flags_ & (O_PATH | (O_TMPFILE & ~std::uint64_t{O_DIRECTORY}))) != 0) return false;
  // Directories lead to what lies in them, and pipes and devices may keep us waiting.
  return places_[0].file ? places_[0].regular : (flags_ & O_CREAT) != 0;
}

Result<FileIdentity> Deed::create(const seccomp_notif& call) const {
  const Pinned& place = places_[0];
  const int mode = static_cast<int>(mode_ & 0777 & ~umask_of(call.pid));
  const auto made = sys::Fd::adopt(
      ::openat(place.parent.raw(), place.name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600));
  struct stat info {};
  if (!made.is_open() || ::fchmod(made.raw(), static_cast<mode_t>(mode)) != 0 || ::fstat(made.raw(), &info) != 0)
    return tl::unexpected<Error>(sys::os_error("open", place.path.c_str(), errno));
  return FileIdentity{info.st_dev, info.st_ino};
}

Result<sys::Fd> Deed::open(const seccomp_notif& call, Widener& widener) const {
  const Pinned& place = places_[0];
  std::optional<FileIdentity> file = place.file;
  if (!file) {
    PF_TRY(made, create(call), "");
    file = made;
  }
  const bool writes = (flags_ & O_ACCMODE) != O_RDONLY || (flags_ & O_TRUNC) != 0;
  return widener.open_copy(place.path, *file, static_cast<int>(flags_ & kPassedOn),
                           writes ? Widener::Access::kWrite : Widener::Access::kRead);
}

// 0, or the errno that the program would have got on the host.
Result<int> Deed::change(const seccomp_notif& call) const {
  const Pinned& at = places_.front();
  long done = -1;
  switch (kind_) {
    case Kind::kMakeDirectory: {
      const mode_t mode = mode_ & 01777 & ~umask_of(call.pid);
      done = ::mkdirat(at.parent.raw(), at.name.c_str(), mode);
      if (done == 0) ::fchmodat(at.parent.raw(), at.name.c_str(), mode, 0);
      break;
    }
    case Kind::kDelete: done = ::unlinkat(at.parent.raw(), at.name.c_str(), 0); break;
    case Kind::kRemoveDirectory: done = ::unlinkat(at.parent.raw(), at.name.c_str(), AT_REMOVEDIR); break;
    case Kind::kRename:
      done = ::syscall(SYS_renameat2, at.parent.raw(), at.name.c_str(), places_[1].parent.raw(),
                       places_[1].name.c_str(), static_cast<unsigned>(flags_));
      break;
    case Kind::kOpen: return fail(ErrorKind::kSystem, "not a change of names");
  }
  return done == 0 ? 0 : errno;
}

Result<void> Deed::carry_out(int listener, const seccomp_notif& call, Widener& widener) const {
  for (const Pinned& place : places_)
    if (look(place, nullptr) != place.file)
      return fail(ErrorKind::kRefused, place.path + " is not any more what it was when it was asked about");
  if (kind_ == Kind::kOpen) {
    PF_TRY(file, open(call, widener), "");
    answer_descriptor(listener, call, file, static_cast<unsigned>(cloexec(flags_)));
    return {};
  }
  PF_TRY(error, change(call), "");
  // Whoever waits goes on when the walls stand again.
  if (error == 0 && changes_names())
    for (const Pinned& place : places_)
      if (place.file) PF_CHECK(widener.replaced(place.path), "");
  answer_result(listener, call, error);
  return {};
}

}  // namespace pinfold::backend::on_linux
