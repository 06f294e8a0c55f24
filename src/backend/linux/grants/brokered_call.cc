// brokered_call.cc: pins, compares, does.
#include "backend/linux/grants/brokered_call.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "backend/linux/child/kernel.h"
#include "backend/linux/landlock/attributes.h"
#include "backend/linux/notify/trapped_call.h"
#include "base/paths.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

// Of those that open() knows, what makes sense for a file that somebody else opens.
constexpr std::uint64_t kPassedOn = O_ACCMODE | O_APPEND | O_TRUNC | O_NONBLOCK | O_DSYNC | O_SYNC | O_DIRECT;

std::optional<FileIdentity> look(const Pinned& place) {
  struct stat info {};
  if (::fstatat(place.parent.raw(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
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
  struct stat info {};
  if (out.held.is_open() && ::fstat(out.held.raw(), &info) == 0) {
    out.file = FileIdentity{info.st_dev, info.st_ino};
    out.regular = S_ISREG(info.st_mode);
    out.directory = S_ISDIR(info.st_mode);
  }
  return out;
}

std::optional<Deed> Deed::of(const seccomp_notif& call, const Attempts& attempts,
                             const std::vector<std::string>& on_host) {
  if (attempts.files.empty() || attempts.files.size() != on_host.size()) return std::nullopt;
  const auto kind = kind_of(call, attempts.files.front().act);
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
      out.mode_ = static_cast<std::uint32_t>(call.data.args[call.data.nr == __NR_mkdirat ? 2 : 1]) & 01777;
      break;
    case Kind::kMakeNode:
      out.mode_ = static_cast<std::uint32_t>(call.data.args[call.data.nr == __NR_mknodat ? 2 : 1]) & (S_IFMT | 0777);
      if (S_ISCHR(out.mode_) || S_ISBLK(out.mode_)) return std::nullopt;
      break;
    case Kind::kMakeSymlink: {
      auto text = read_string(call.pid, call.data.args[0]);
      if (!text) return std::nullopt;
      out.text_ = std::move(*text);
      break;
    }
    case Kind::kMakeLink:
      if (out.places_.size() != 2 || !out.places_[0].held.is_open()) return std::nullopt;
      break;
    case Kind::kAttributes:
      if (!out.places_[0].held.is_open()) return std::nullopt;
      break;
    case Kind::kTruncate:
      if (!out.places_[0].regular) return std::nullopt;
      out.size_ = static_cast<std::int64_t>(call.data.args[1]);
      break;
    case Kind::kRename:
      if (call.data.nr == __NR_renameat2) out.flags_ = call.data.args[4];
      if (out.places_.size() != 2) return std::nullopt;
      break;
    default: break;
  }
  return out;
}

std::optional<Deed::Kind> Deed::kind_of(const seccomp_notif& call, Act act) {
  switch (call.data.nr) {
    case __NR_truncate: return Kind::kTruncate;
#ifdef __NR_mknod
    case __NR_mknod: return Kind::kMakeNode;
    case __NR_symlink: return Kind::kMakeSymlink;
    case __NR_link: return Kind::kMakeLink;
#endif
    case __NR_mknodat: return Kind::kMakeNode;
    case __NR_symlinkat: return Kind::kMakeSymlink;
    case __NR_linkat: return Kind::kMakeLink;
    default: break;
  }
  switch (act) {
    case Act::kRead:
    case Act::kWrite: return Kind::kOpen;
    case Act::kMakeDirectory: return Kind::kMakeDirectory;
    case Act::kDelete: return Kind::kDelete;
    case Act::kRemoveDirectory: return Kind::kRemoveDirectory;
    case Act::kRename: return Kind::kRename;
    case Act::kChange: return changes_attributes(call.data.nr) ? std::optional(Kind::kAttributes) : std::nullopt;
    default: return std::nullopt;
  }
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
    return false;  // openat2() and the like
  }
  flags_ = call.data.args[first];
  mode_ = static_cast<std::uint32_t>(call.data.args[first + 1]);
  if ((flags_ & (O_PATH | (O_TMPFILE & ~std::uint64_t{O_DIRECTORY}))) != 0) return false;
  // Directories lead to what lies in them, and pipes and devices may keep us waiting.
  return places_[0].file ? places_[0].regular : (flags_ & O_CREAT) != 0;
}

Result<sys::Fd> Deed::open(const seccomp_notif& call, Widener& widener) const {
  const Pinned& place = places_[0];
  const bool writes = (flags_ & O_ACCMODE) != O_RDONLY || (flags_ & O_TRUNC) != 0;
  const int flags = static_cast<int>(flags_ & kPassedOn);
  if (place.file)
    return widener.open_copy(place.path, *place.file, flags, writes ? Widener::Access::kWrite : Widener::Access::kRead);
  struct stat parent {};
  if (::fstat(place.parent.raw(), &parent) != 0)
    return tl::unexpected<Error>(sys::os_error("fstat", place.path.c_str(), errno));
  return widener.create(place.path, {parent.st_dev, parent.st_ino}, flags & ~O_TRUNC, mode_ & 0777, umask_of(call.pid));
}

// 0, or the errno that the program would have got on the host. Each name is looked up once, below its pinned directory,
// and what exists is changed through its descriptor.
Result<int> Deed::change(const seccomp_notif& call, Widener& widener) const {
  const auto pinned = [](const Pinned& place) {
    const FileIdentity file = place.file.value_or(FileIdentity{});
    return child::PinnedName{place.parent.raw(), place.name.c_str(), file.device, file.inode, place.directory};
  };
  child::NameChange wanted{};
  wanted.at = pinned(places_.back());
  wanted.mode = mode_;
  wanted.umask = umask_of(call.pid);
  switch (kind_) {
    case Kind::kAttributes: return change_attributes(call, places_[0].held);
    case Kind::kTruncate: {
      rlimit most{};
      if (::prlimit(static_cast<pid_t>(call.pid), RLIMIT_FSIZE, nullptr, &most) != 0) return EPERM;
      if (size_ < 0) return EINVAL;
      if (static_cast<std::uint64_t>(size_) > most.rlim_cur) return EFBIG;
      return widener.truncate(places_[0].path, *places_[0].file, size_);
    }
    case Kind::kMakeDirectory: wanted.act = child::NameAct::kMakeDirectory; break;
    case Kind::kMakeNode: wanted.act = child::NameAct::kMakeNode; break;
    case Kind::kMakeSymlink:
      wanted.act = child::NameAct::kMakeSymlink;
      wanted.text = text_.c_str();
      break;
    case Kind::kMakeLink:
      wanted.act = child::NameAct::kMakeLink;
      wanted.file = places_[0].held.raw();
      break;
    case Kind::kDelete:
      if (places_[0].directory) return EISDIR;
      wanted.act = child::NameAct::kRemove;
      break;
    case Kind::kRemoveDirectory:
      if (places_[0].file && !places_[0].directory) return ENOTDIR;
      wanted.act = child::NameAct::kRemove;
      break;
    case Kind::kRename:
      wanted.act = child::NameAct::kRename;
      wanted.at = pinned(places_[0]);
      wanted.to = pinned(places_[1]);
      wanted.flags = static_cast<std::uint32_t>(flags_);
      break;
    case Kind::kOpen: return fail(ErrorKind::kSystem, "opening a file is no change");
  }
  return change_name(wanted, places_.back().path);
}

Result<void> Deed::carry_out(int listener, const seccomp_notif& call, Widener& widener) const {
  for (const Pinned& place : places_)
    if (look(place) != place.file)
      return fail(ErrorKind::kRefused, place.path + " is not any more what it was when it was asked about");
  if (kind_ == Kind::kOpen) {
    PF_TRY(file, open(call, widener), "");
    answer_descriptor(listener, call, file, static_cast<unsigned>(cloexec(flags_)));
    return {};
  }
  PF_TRY(error, change(call, widener), "");
  // Whoever waits goes on when the walls stand again.
  if (error == 0 && changes_names())
    for (const Pinned& place : places_)
      if (place.file) PF_CHECK(widener.replaced(place.path), "");
  answer_result(listener, call, error);
  return {};
}

}  // namespace pinfold::backend::on_linux
