// attributes.cc: argument positions of these calls, and the same changes on a descriptor.
#include "backend/linux/landlock/attributes.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include <cerrno>
#include <cstring>
#include <limits>

namespace pinfold::backend::on_linux {
namespace {

constexpr int kFchmodat2 = 452;
constexpr std::size_t kLongestValue = 65536;  // XATTR_SIZE_MAX

enum class AttributeKind { kMode, kOwner, kTimes, kSetAttribute, kRemoveAttribute };

// Argument positions; -1: the call has no such argument.
struct CallShape {
  AttributeKind kind;
  int directory;
  int path;
  int first;  // mode, owner, times or the attribute's name
  int flags = -1;
  bool on_link = false;
};

std::optional<CallShape> shape_of(int number) {
  switch (number) {
#ifdef __NR_chmod
    case __NR_chmod: return CallShape{AttributeKind::kMode, -1, 0, 1};
    case __NR_chown: return CallShape{AttributeKind::kOwner, -1, 0, 1};
    case __NR_lchown: return CallShape{AttributeKind::kOwner, -1, 0, 1, -1, true};
    case __NR_utime:
    case __NR_utimes: return CallShape{AttributeKind::kTimes, -1, 0, 1};
    case __NR_futimesat: return CallShape{AttributeKind::kTimes, 0, 1, 2};
#endif
    case __NR_fchmod: return CallShape{AttributeKind::kMode, 0, -1, 1};
    case __NR_fchmodat: return CallShape{AttributeKind::kMode, 0, 1, 2};
    case kFchmodat2: return CallShape{AttributeKind::kMode, 0, 1, 2, 3};
    case __NR_fchown: return CallShape{AttributeKind::kOwner, 0, -1, 1};
    case __NR_fchownat: return CallShape{AttributeKind::kOwner, 0, 1, 2, 4};
    case __NR_utimensat: return CallShape{AttributeKind::kTimes, 0, 1, 2, 3};
    case __NR_setxattr: return CallShape{AttributeKind::kSetAttribute, -1, 0, 1};
    case __NR_lsetxattr: return CallShape{AttributeKind::kSetAttribute, -1, 0, 1, -1, true};
    case __NR_fsetxattr: return CallShape{AttributeKind::kSetAttribute, 0, -1, 1};
    case __NR_removexattr: return CallShape{AttributeKind::kRemoveAttribute, -1, 0, 1};
    case __NR_lremovexattr: return CallShape{AttributeKind::kRemoveAttribute, -1, 0, 1, -1, true};
    case __NR_fremovexattr: return CallShape{AttributeKind::kRemoveAttribute, 0, -1, 1};
    default: return std::nullopt;
  }
}

int done(int result) { return result == 0 ? 0 : errno; }

// The pinned file, regardless of its current name.
std::string link_to(const sys::Fd& file) { return "/proc/self/fd/" + std::to_string(file.raw()); }

int change_mode(const sys::Fd& file, const struct stat& info, std::uint64_t mode) {
  if (S_ISLNK(info.st_mode)) return EOPNOTSUPP;
  if (info.st_uid != ::getuid()) return EPERM;
  return done(::chmod(link_to(file).c_str(), static_cast<mode_t>(mode & 0777 & ~std::uint64_t{S_ISUID | S_ISGID}) |
                                                 static_cast<mode_t>(mode & S_ISVTX)));
}

// To no other user, as for a process without capabilities.
int change_owner(const sys::Fd& file, const struct stat& info, std::uint64_t uid, std::uint64_t gid) {
  constexpr auto kKeep = std::numeric_limits<std::uint32_t>::max();
  const auto user = static_cast<std::uint32_t>(uid);
  const auto group = static_cast<std::uint32_t>(gid);
  if (info.st_uid != ::getuid() || (user != kKeep && user != ::getuid())) return EPERM;
  if (group != kKeep && group != ::getgid() && group != info.st_gid) return EPERM;
  return done(::fchownat(file.raw(), "", user, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW));
}

bool read_times(const seccomp_notif& call, std::uint64_t address, timespec (&times)[2]) {
#ifdef __NR_utime
  if (call.data.nr == __NR_utime) {
    auto bytes = read_bytes(call.pid, address, sizeof(utimbuf));
    if (!bytes) return false;
    utimbuf both{};
    std::memcpy(&both, bytes->data(), sizeof both);
    times[0] = {both.actime, 0};
    times[1] = {both.modtime, 0};
    return true;
  }
  if (call.data.nr == __NR_utimes || call.data.nr == __NR_futimesat) {
    auto bytes = read_bytes(call.pid, address, sizeof(timeval) * 2);
    if (!bytes) return false;
    timeval both[2];
    std::memcpy(both, bytes->data(), sizeof both);
    for (int i = 0; i < 2; ++i) times[i] = {both[i].tv_sec, both[i].tv_usec * 1000};
    return true;
  }
#endif
  auto bytes = read_bytes(call.pid, address, sizeof times);
  if (bytes) std::memcpy(times, bytes->data(), sizeof times);
  return bytes.has_value();
}

int change_times(const seccomp_notif& call, const sys::Fd& file, const struct stat& info, std::uint64_t address) {
  timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  if (address != 0 && !read_times(call, address, times)) return EFAULT;
  const bool now = times[0].tv_nsec == UTIME_NOW && times[1].tv_nsec == UTIME_NOW;
  if (info.st_uid != ::getuid() && !(now && ::access(link_to(file).c_str(), W_OK) == 0)) return EPERM;
  return done(::utimensat(file.raw(), "", times, AT_EMPTY_PATH));
}

// Only user attributes and access lists; the kernel's and the security modules' attributes are refused.
int check_attribute(const std::string& name, const struct stat& info) {
  if (!name.starts_with("user.") && !name.starts_with("system.posix_acl_")) return EOPNOTSUPP;
  if (S_ISLNK(info.st_mode) || info.st_uid != ::getuid()) return EPERM;
  return 0;
}

int set_attribute(const seccomp_notif& call, const sys::Fd& file, const struct stat& info) {
  auto name = read_string(call.pid, call.data.args[1]);
  const std::uint64_t size = call.data.args[3];
  if (!name) return EFAULT;
  if (size > kLongestValue) return E2BIG;
  if (int refused = check_attribute(*name, info); refused != 0) return refused;
  auto value = read_bytes(call.pid, call.data.args[2], size);
  if (!value) return EFAULT;
  return done(::setxattr(link_to(file).c_str(), name->c_str(), value->data(), value->size(),
                         static_cast<int>(call.data.args[4])));
}

int remove_attribute(const seccomp_notif& call, const sys::Fd& file, const struct stat& info) {
  auto name = read_string(call.pid, call.data.args[1]);
  if (!name) return EFAULT;
  if (int refused = check_attribute(*name, info); refused != 0) return refused;
  return done(::removexattr(link_to(file).c_str(), name->c_str()));
}

}  // namespace

bool changes_attributes(int number) { return shape_of(number).has_value(); }

std::optional<AttributeTarget> attribute_target(const seccomp_notif& call) {
  auto shape = shape_of(call.data.nr);
  if (!shape) return std::nullopt;
  AttributeTarget change;
  change.directory = shape->directory < 0 ? AT_FDCWD : static_cast<int>(call.data.args[shape->directory]);
  const std::uint64_t flags = shape->flags < 0 ? 0 : call.data.args[shape->flags];
  if (shape->on_link || (flags & AT_SYMLINK_NOFOLLOW) != 0) change.follow = Follow::kNotTheLast;
  // A null path means the descriptor itself, for utimensat; so does an empty one with AT_EMPTY_PATH.
  if (shape->path < 0 || call.data.args[shape->path] == 0) return change;
  auto path = read_string(call.pid, call.data.args[shape->path]);
  if (!path || (path->empty() && (flags & AT_EMPTY_PATH) == 0)) return std::nullopt;
  change.path = std::move(*path);
  return change;
}

int change_attributes(const seccomp_notif& call, const sys::Fd& file) {
  auto shape = shape_of(call.data.nr);
  struct stat info {};
  if (!shape || ::fstat(file.raw(), &info) != 0) return EPERM;
  const std::uint64_t first = call.data.args[shape->first];
  switch (shape->kind) {
    case AttributeKind::kMode: return change_mode(file, info, first);
    case AttributeKind::kOwner: return change_owner(file, info, first, call.data.args[shape->first + 1]);
    case AttributeKind::kTimes: return change_times(call, file, info, first);
    case AttributeKind::kSetAttribute: return set_attribute(call, file, info);
    case AttributeKind::kRemoveAttribute: return remove_attribute(call, file, info);
  }
  return EPERM;
}

}  // namespace pinfold::backend::on_linux
