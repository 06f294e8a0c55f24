// brokered_call.cc: pins the names of a call, compares them before the call, performs it.
#include "backend/linux/grants/brokered_call.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
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

constexpr std::uint64_t kTmpfile = O_TMPFILE & ~std::uint64_t{O_DIRECTORY};
// The flags of open() that still work when the supervisor opens the file for the caller.
constexpr std::uint64_t kAllowedOpenFlags = O_ACCMODE | O_APPEND | O_TRUNC | O_NONBLOCK | O_DSYNC | O_SYNC | O_DIRECT;

std::optional<FileIdentity> current_identity(const PinnedEntry& entry) {
  struct stat info {};
  if (::fstatat(entry.parent.raw(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino};
}

// The caller's umask, which the kernel would apply to a new file.
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

bool is_local_socket(const sys::Fd& socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  return socket.is_open() && ::getsockopt(socket.raw(), SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
         domain == AF_UNIX;
}

}  // namespace

Result<PinnedEntry> pin(const std::string& path) {
  PinnedEntry out;
  out.path = path;
  out.name = paths::basename(path);
  const std::string parent(paths::parent(path));
  out.parent = sys::Fd::adopt(kernel::open_no_links(AT_FDCWD, parent.c_str(), O_PATH | O_DIRECTORY, 0));
  if (!out.parent.is_open() || out.name.empty())
    return tl::unexpected<Error>(sys::os_error("open", parent.c_str(), errno));
  out.fd = sys::Fd::adopt(::openat(out.parent.raw(), out.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (out.fd.is_open() && ::fstat(out.fd.raw(), &info) == 0) {
    out.file = FileIdentity{info.st_dev, info.st_ino};
    out.regular = S_ISREG(info.st_mode);
    out.directory = S_ISDIR(info.st_mode);
  }
  return out;
}

std::optional<BrokeredCall> BrokeredCall::of(const seccomp_notif& call, const SyscallRequest& request,
                                             const std::vector<std::string>& on_host, LiveMounts::Access access) {
  if (request.paths.empty() || request.paths.size() != on_host.size()) return std::nullopt;
  const auto kind = kind_of(call, request.paths.front().operation);
  if (!kind) return std::nullopt;
  BrokeredCall out(*kind);
  out.access_ = access;
  for (const std::string& path : on_host) {
    auto entry = pin(path);
    if (!entry) return std::nullopt;
    out.entries_.push_back(std::move(*entry));
  }
  switch (*kind) {
    case Kind::kOpen:
      if (!out.read_open_arguments(call)) return std::nullopt;
      break;
    case Kind::kTemporaryFile:
      if (!out.read_open_arguments(call) || !out.entries_[0].directory) return std::nullopt;
      break;
    case Kind::kBind:
      if (out.entries_[0].name.size() >= sizeof(sockaddr_un::sun_path)) return std::nullopt;
      out.socket_ = take_descriptor(call.pid, static_cast<int>(call.data.args[0]));
      if (!is_local_socket(out.socket_)) return std::nullopt;
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
      if (out.entries_.size() != 2 || !out.entries_[0].fd.is_open()) return std::nullopt;
      break;
    case Kind::kAttributes:
      if (!out.entries_[0].fd.is_open()) return std::nullopt;
      break;
    case Kind::kTruncate:
      if (!out.entries_[0].regular) return std::nullopt;
      out.size_ = static_cast<std::int64_t>(call.data.args[1]);
      break;
    case Kind::kRename:
      if (call.data.nr == __NR_renameat2) out.flags_ = call.data.args[4];
      if (out.entries_.size() != 2) return std::nullopt;
      break;
    default: break;
  }
  return out;
}

std::optional<BrokeredCall::Kind> BrokeredCall::kind_of(const seccomp_notif& call, PathOperation operation) {
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
  switch (operation) {
    case PathOperation::kRead:
    case PathOperation::kWrite: return Kind::kOpen;
    case PathOperation::kTemporaryFile: return Kind::kTemporaryFile;
    case PathOperation::kBind: return Kind::kBind;
    case PathOperation::kMakeDirectory: return Kind::kMakeDirectory;
    case PathOperation::kDelete: return Kind::kDelete;
    case PathOperation::kRemoveDirectory: return Kind::kRemoveDirectory;
    case PathOperation::kRename: return Kind::kRename;
    case PathOperation::kSetAttributes:
      return changes_attributes(call.data.nr) ? std::optional(Kind::kAttributes) : std::nullopt;
    default: return std::nullopt;
  }
}

bool BrokeredCall::read_open_arguments(const seccomp_notif& call) {
  int first = 1;  // of flags and mode
  if (call.data.nr == __NR_openat) {
    first = 2;
#ifdef __NR_open
  } else if (call.data.nr == __NR_creat) {
    flags_ = O_CREAT | O_WRONLY | O_TRUNC;
    mode_ = static_cast<std::uint32_t>(call.data.args[1]);
    return !entries_[0].file || entries_[0].regular;
  } else if (call.data.nr != __NR_open) {
#else
  } else {
#endif
    return false;  // openat2() and the like
  }
  flags_ = call.data.args[first];
  mode_ = static_cast<std::uint32_t>(call.data.args[first + 1]);
  if ((flags_ & O_PATH) != 0) return false;
  if (kind_ == Kind::kTemporaryFile) return (flags_ & O_ACCMODE) != O_RDONLY;
  if ((flags_ & kTmpfile) != 0) return false;
  // Regular files only: a directory descriptor gives access to everything below it, and opening a pipe or a device may
  // block.
  return entries_[0].file ? entries_[0].regular : (flags_ & O_CREAT) != 0;
}

std::vector<const PinnedEntry*> BrokeredCall::made_names() const {
  switch (kind_) {
    case Kind::kOpen:
      if (entries_[0].file) return {};
      return {&entries_[0]};
    case Kind::kMakeDirectory:
    case Kind::kMakeNode:
    case Kind::kMakeSymlink:
    case Kind::kMakeLink:
    case Kind::kBind: return {&entries_.back()};
    case Kind::kRename:
      if ((flags_ & RENAME_EXCHANGE) != 0) return {&entries_[0], &entries_[1]};
      return {&entries_[1]};
    default: return {};
  }
}

Result<sys::Fd> BrokeredCall::open(const seccomp_notif& call, LiveMounts& live_mounts) const {
  const PinnedEntry& entry = entries_[0];
  const bool writes =
      access_ == LiveMounts::Access::kWrite || (flags_ & O_ACCMODE) != O_RDONLY || (flags_ & O_TRUNC) != 0;
  const int flags = static_cast<int>(flags_ & kAllowedOpenFlags);
  if (kind_ == Kind::kTemporaryFile) {
    const int own = O_TMPFILE | static_cast<int>(flags_ & O_EXCL);
    return live_mounts.make_unnamed(entry.path, *entry.file, (flags & ~O_TRUNC) | own, mode_ & 0777,
                                    umask_of(call.pid));
  }
  if (entry.file)
    return live_mounts.open_copy(entry.path, *entry.file, flags,
                                 writes ? LiveMounts::Access::kWrite : LiveMounts::Access::kRead);
  struct stat parent {};
  if (::fstat(entry.parent.raw(), &parent) != 0)
    return tl::unexpected<Error>(sys::os_error("fstat", entry.path.c_str(), errno));
  return live_mounts.create(entry.path, {parent.st_dev, parent.st_ino}, flags & ~O_TRUNC, mode_ & 0777,
                            umask_of(call.pid));
}

// 0, or the errno that the program would have got on the host. Each name is looked up once, below its pinned directory,
// and what exists is changed through its descriptor.
Result<int> BrokeredCall::change(const seccomp_notif& call, LiveMounts& live_mounts) const {
  const auto pinned = [](const PinnedEntry& entry) {
    const FileIdentity file = entry.file.value_or(FileIdentity{});
    return child::PinnedName{entry.parent.raw(), entry.name.c_str(), file.device, file.inode, entry.directory};
  };
  child::NameChange wanted{};
  wanted.at = pinned(entries_.back());
  wanted.mode = mode_;
  wanted.umask = umask_of(call.pid);
  switch (kind_) {
    case Kind::kAttributes: return change_attributes(call, entries_[0].fd);
    case Kind::kTruncate: {
      rlimit most{};
      if (::prlimit(static_cast<pid_t>(call.pid), RLIMIT_FSIZE, nullptr, &most) != 0) return EPERM;
      if (size_ < 0) return EINVAL;
      if (static_cast<std::uint64_t>(size_) > most.rlim_cur) return EFBIG;
      return live_mounts.truncate(entries_[0].path, *entries_[0].file, size_);
    }
    case Kind::kMakeDirectory: wanted.kind = child::NameChangeKind::kMakeDirectory; break;
    case Kind::kMakeNode: wanted.kind = child::NameChangeKind::kMakeNode; break;
    case Kind::kMakeSymlink:
      wanted.kind = child::NameChangeKind::kMakeSymlink;
      wanted.text = text_.c_str();
      break;
    case Kind::kMakeLink:
      wanted.kind = child::NameChangeKind::kMakeLink;
      wanted.file = entries_[0].fd.raw();
      break;
    case Kind::kDelete:
      if (entries_[0].directory) return EISDIR;
      wanted.kind = child::NameChangeKind::kRemove;
      break;
    case Kind::kRemoveDirectory:
      if (entries_[0].file && !entries_[0].directory) return ENOTDIR;
      wanted.kind = child::NameChangeKind::kRemove;
      break;
    case Kind::kRename:
      wanted.kind = child::NameChangeKind::kRename;
      wanted.at = pinned(entries_[0]);
      wanted.to = pinned(entries_[1]);
      wanted.flags = static_cast<std::uint32_t>(flags_);
      break;
    case Kind::kBind:
      wanted.kind = child::NameChangeKind::kBindSocket;
      wanted.file = socket_.raw();
      break;
    case Kind::kOpen:
    case Kind::kTemporaryFile: return fail(ErrorKind::kSystem, "an open does not change a name");
  }
  return change_name(wanted, entries_.back().path);
}

Result<void> BrokeredCall::perform(int listener, const seccomp_notif& call, LiveMounts& live_mounts,
                                   CreationGuard* guard) const {
  for (const PinnedEntry& entry : entries_)
    if (current_identity(entry) != entry.file)
      return fail(ErrorKind::kRefused, entry.path + " changed after you were asked");
  const std::vector<const PinnedEntry*> made = made_names();
  if (guard != nullptr)
    for (const PinnedEntry* entry : made)
      if (!guard->may_make(entry->parent.raw(), entry->name))
        return fail(ErrorKind::kRefused, entry->path + " is a protected name");
  const auto record = [&] {
    if (guard == nullptr) return;
    for (const PinnedEntry* entry : made) guard->record_made(entry->parent.raw(), entry->name);
  };
  if (kind_ == Kind::kOpen || kind_ == Kind::kTemporaryFile) {
    PF_TRY(file, open(call, live_mounts));
    record();
    answer_descriptor(listener, call, file, static_cast<unsigned>(cloexec(flags_)));
    return {};
  }
  PF_TRY(error, change(call, live_mounts));
  if (error == 0) record();
  // The caller continues only after the protecting mounts are back.
  if (error == 0 && changes_names())
    for (const PinnedEntry& entry : entries_)
      if (entry.file) PF_CHECK(live_mounts.restore_mount(entry.path));
  answer_result(listener, call, error);
  return {};
}

}  // namespace pinfold::backend::on_linux
