// syscall_request.cc: one case for each trapped system call.
#include "backend/linux/notify/syscall_request.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace pinfold::backend::on_linux {
namespace {

static_assert(AT_FDCWD == PathRequest::kWorkingDirectory);

constexpr std::uint64_t kTmpfile = O_TMPFILE & ~std::uint64_t{O_DIRECTORY};
constexpr int kFchmodat2 = 452;

class Reader {
 public:
  explicit Reader(const seccomp_notif& call) : call_(call) {}

  SyscallRequest read() {
    if (!by_path() && !by_directory()) by_socket();
    return std::move(out_);
  }

 private:
  std::uint64_t argument(int index) const { return call_.data.args[index]; }
  int descriptor(int index) const { return static_cast<int>(call_.data.args[index]); }
  Follow unless(int flags, std::uint64_t bit) const {
    return (argument(flags) & bit) != 0 ? Follow::kNotTheLast : Follow::kLinks;
  }

  // False: the path cannot be read from the caller's memory.
  bool add(PathOperation operation, int directory, int path, Follow follow) {
    auto name = read_string(call_.pid, argument(path));
    if (!name) return false;
    PathRequest& added = out_.paths.emplace_back();
    added.operation = operation;
    added.named = std::move(*name);
    if (directory >= 0) added.directory = descriptor(directory);
    added.follow = follow;
    return true;
  }

  void add_open(int directory, int path, std::uint64_t flags) {
    PathOperation operation =
        (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0 ? PathOperation::kWrite : PathOperation::kRead;
    if ((flags & kTmpfile) != 0) operation = PathOperation::kTemporaryFile;
    if ((flags & O_PATH) != 0) operation = PathOperation::kStat;
    const bool creates = (flags & O_CREAT) != 0 && operation != PathOperation::kStat;
    const bool exclusive = creates && (flags & O_EXCL) != 0;
    const bool stays = exclusive || (flags & O_NOFOLLOW) != 0;
    if (!add(operation, directory, path, stays ? Follow::kNotTheLast : Follow::kLinks)) return;
    out_.paths.back().creates = creates;
    out_.paths.back().exclusive = exclusive;
  }

  bool by_path() {
#ifdef __NR_open
    switch (call_.data.nr) {
      case __NR_open: add_open(-1, 0, argument(1)); return true;
      case __NR_creat: add_open(-1, 0, O_CREAT | O_WRONLY | O_TRUNC); return true;
      case __NR_mkdir: add(PathOperation::kMakeDirectory, -1, 0, Follow::kNotTheLast); return true;
      case __NR_mknod: add(PathOperation::kCreate, -1, 0, Follow::kNotTheLast); return true;
      case __NR_symlink: add(PathOperation::kCreate, -1, 1, Follow::kNotTheLast); return true;
      case __NR_link:
        add(PathOperation::kLinkSource, -1, 0, Follow::kNotTheLast) &&
            add(PathOperation::kCreate, -1, 1, Follow::kNotTheLast);
        return true;
      case __NR_rename:
        add(PathOperation::kRename, -1, 0, Follow::kNotTheLast) &&
            add(PathOperation::kRenameTo, -1, 1, Follow::kNotTheLast);
        return true;
      case __NR_unlink: add(PathOperation::kDelete, -1, 0, Follow::kNotTheLast); return true;
      case __NR_rmdir: add(PathOperation::kRemoveDirectory, -1, 0, Follow::kNotTheLast); return true;
      case __NR_chmod:
      case __NR_chown:
      case __NR_utime:
      case __NR_utimes: add(PathOperation::kSetAttributes, -1, 0, Follow::kLinks); return true;
      case __NR_lchown: add(PathOperation::kSetAttributes, -1, 0, Follow::kNotTheLast); return true;
      case __NR_futimesat: add(PathOperation::kSetAttributes, 0, 1, Follow::kLinks); return true;
      case __NR_stat:
      case __NR_access: add(PathOperation::kStat, -1, 0, Follow::kLinks); return true;
      case __NR_lstat:
      case __NR_readlink: add(PathOperation::kStat, -1, 0, Follow::kNotTheLast); return true;
      default: break;
    }
#endif
    switch (call_.data.nr) {
      case __NR_truncate: add(PathOperation::kWrite, -1, 0, Follow::kLinks); return true;
      case __NR_setxattr:
      case __NR_removexattr: add(PathOperation::kSetAttributes, -1, 0, Follow::kLinks); return true;
      case __NR_lsetxattr:
      case __NR_lremovexattr: add(PathOperation::kSetAttributes, -1, 0, Follow::kNotTheLast); return true;
      case __NR_execve: add(PathOperation::kExecute, -1, 0, Follow::kLinks); return true;
      case __NR_chdir: add(PathOperation::kChangeDirectory, -1, 0, Follow::kLinks); return true;
      default: return false;
    }
  }

  bool by_directory() {
    switch (call_.data.nr) {
      case __NR_openat: add_open(0, 1, argument(2)); return true;
      case __NR_mkdirat: add(PathOperation::kMakeDirectory, 0, 1, Follow::kNotTheLast); return true;
      case __NR_mknodat: add(PathOperation::kCreate, 0, 1, Follow::kNotTheLast); return true;
      case __NR_symlinkat: add(PathOperation::kCreate, 1, 2, Follow::kNotTheLast); return true;
      case __NR_linkat:
        add(PathOperation::kLinkSource, 0, 1,
            (argument(4) & AT_SYMLINK_FOLLOW) != 0 ? Follow::kLinks : Follow::kNotTheLast) &&
            add(PathOperation::kCreate, 2, 3, Follow::kNotTheLast);
        return true;
#ifdef __NR_renameat
      case __NR_renameat:
#endif
      case __NR_renameat2:
        add(PathOperation::kRename, 0, 1, Follow::kNotTheLast) &&
            add(PathOperation::kRenameTo, 2, 3, Follow::kNotTheLast);
        return true;
      case __NR_unlinkat:
        add((argument(2) & AT_REMOVEDIR) != 0 ? PathOperation::kRemoveDirectory : PathOperation::kDelete, 0, 1,
            Follow::kNotTheLast);
        return true;
      case __NR_fchmodat: add(PathOperation::kSetAttributes, 0, 1, Follow::kLinks); return true;
      case kFchmodat2:
      case __NR_utimensat: add(PathOperation::kSetAttributes, 0, 1, unless(3, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_fchownat: add(PathOperation::kSetAttributes, 0, 1, unless(4, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_execveat: add(PathOperation::kExecute, 0, 1, unless(4, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_newfstatat: add(PathOperation::kStat, 0, 1, unless(3, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_statx: add(PathOperation::kStat, 0, 1, unless(2, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_faccessat: add(PathOperation::kStat, 0, 1, Follow::kLinks); return true;
#ifdef __NR_faccessat2
      case __NR_faccessat2: add(PathOperation::kStat, 0, 1, unless(3, AT_SYMLINK_NOFOLLOW)); return true;
#endif
      case __NR_readlinkat: add(PathOperation::kStat, 0, 1, Follow::kNotTheLast); return true;
      default: return false;
    }
  }

  void by_socket() {
    const bool connects = call_.data.nr == __NR_connect;
    if (!connects && call_.data.nr != __NR_bind) return;
    const std::size_t size = std::min<std::size_t>(argument(2) & 0xffffffffU, sizeof(sockaddr_storage));
    sockaddr_storage address{};
    auto bytes = read_bytes(call_.pid, argument(1), size);
    if (!bytes || size < sizeof address.ss_family) return;
    std::memcpy(&address, bytes->data(), size);
    if (address.ss_family == AF_UNIX) {
      constexpr std::size_t kPath = offsetof(sockaddr_un, sun_path);
      if (size <= kPath || (*bytes)[kPath] == '\0') return;  // unnamed, or not in the file system
      PathRequest& added = out_.paths.emplace_back();
      added.operation = connects ? PathOperation::kConnect : PathOperation::kBind;
      added.named = bytes->c_str() + kPath;  // ends at the end of the address, at the latest
      added.follow = connects ? Follow::kLinks : Follow::kNotTheLast;
    } else if (connects) {
      read_network_address(address, size);
    }
  }

  void read_network_address(const sockaddr_storage& address, std::size_t size) {
    NetworkRequest to;
    if (address.ss_family == AF_INET && size >= sizeof(sockaddr_in)) {
      sockaddr_in four{};
      std::memcpy(&four, &address, sizeof four);
      std::memcpy(to.address.bytes.data(), &four.sin_addr, 4);
      to.port = ntohs(four.sin_port);
    } else if (address.ss_family == AF_INET6 && size >= offsetof(sockaddr_in6, sin6_scope_id)) {
      sockaddr_in6 six{};
      std::memcpy(&six, &address, sizeof six);
      to.port = ntohs(six.sin6_port);
      if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
        std::memcpy(to.address.bytes.data(), six.sin6_addr.s6_addr + 12, 4);
      } else {
        to.address.family = Family::kV6;
        std::memcpy(to.address.bytes.data(), &six.sin6_addr, 16);
      }
    } else {
      return;
    }
    out_.network = to;
    out_.socket = descriptor(0);
  }

  const seccomp_notif& call_;
  SyscallRequest out_;
};

}  // namespace

SyscallRequest read_syscall_request(const seccomp_notif& call) { return Reader(call).read(); }

}  // namespace pinfold::backend::on_linux
