// syscall_request.cc: one case for each system call that is looked at.
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

static_assert(AT_FDCWD == Attempt::kWorkingDirectory);

constexpr std::uint64_t kTmpfile = O_TMPFILE & ~std::uint64_t{O_DIRECTORY};
constexpr int kFchmodat2 = 452;

class Reader {
 public:
  explicit Reader(const seccomp_notif& call) : call_(call) {}

  Attempts read() {
    if (!by_path() && !by_directory()) by_socket();
    return std::move(out_);
  }

 private:
  std::uint64_t argument(int index) const { return call_.data.args[index]; }
  int descriptor(int index) const { return static_cast<int>(call_.data.args[index]); }
  Follow unless(int flags, std::uint64_t bit) const {
    return (argument(flags) & bit) != 0 ? Follow::kNotTheLast : Follow::kLinks;
  }

  // False: the name cannot be read.
  bool add(Act act, int directory, int path, Follow follow) {
    auto name = read_string(call_.pid, argument(path));
    if (!name) return false;
    Attempt& added = out_.files.emplace_back();
    added.act = act;
    added.named = std::move(*name);
    if (directory >= 0) added.directory = descriptor(directory);
    added.follow = follow;
    return true;
  }

  void add_open(int directory, int path, std::uint64_t flags) {
    Act act = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0 ? Act::kWrite : Act::kRead;
    if ((flags & kTmpfile) != 0) act = Act::kTemporary;
    if ((flags & O_PATH) != 0) act = Act::kLook;
    const bool creates = (flags & O_CREAT) != 0 && act != Act::kLook;
    const bool exclusive = creates && (flags & O_EXCL) != 0;
    const bool stays = exclusive || (flags & O_NOFOLLOW) != 0;
    if (!add(act, directory, path, stays ? Follow::kNotTheLast : Follow::kLinks)) return;
    out_.files.back().creates = creates;
    out_.files.back().exclusive = exclusive;
  }

  bool by_path() {
#ifdef __NR_open
    switch (call_.data.nr) {
      case __NR_open: add_open(-1, 0, argument(1)); return true;
      case __NR_creat: add_open(-1, 0, O_CREAT | O_WRONLY | O_TRUNC); return true;
      case __NR_mkdir: add(Act::kMakeDirectory, -1, 0, Follow::kNotTheLast); return true;
      case __NR_mknod: add(Act::kCreate, -1, 0, Follow::kNotTheLast); return true;
      case __NR_symlink: add(Act::kCreate, -1, 1, Follow::kNotTheLast); return true;
      case __NR_link:
        add(Act::kTake, -1, 0, Follow::kNotTheLast) && add(Act::kCreate, -1, 1, Follow::kNotTheLast);
        return true;
      case __NR_rename:
        add(Act::kRename, -1, 0, Follow::kNotTheLast) && add(Act::kRenameTo, -1, 1, Follow::kNotTheLast);
        return true;
      case __NR_unlink: add(Act::kDelete, -1, 0, Follow::kNotTheLast); return true;
      case __NR_rmdir: add(Act::kRemoveDirectory, -1, 0, Follow::kNotTheLast); return true;
      case __NR_chmod:
      case __NR_chown:
      case __NR_utime:
      case __NR_utimes: add(Act::kChange, -1, 0, Follow::kLinks); return true;
      case __NR_lchown: add(Act::kChange, -1, 0, Follow::kNotTheLast); return true;
      case __NR_futimesat: add(Act::kChange, 0, 1, Follow::kLinks); return true;
      case __NR_stat:
      case __NR_access: add(Act::kLook, -1, 0, Follow::kLinks); return true;
      case __NR_lstat:
      case __NR_readlink: add(Act::kLook, -1, 0, Follow::kNotTheLast); return true;
      default: break;
    }
#endif
    switch (call_.data.nr) {
      case __NR_truncate: add(Act::kWrite, -1, 0, Follow::kLinks); return true;
      case __NR_setxattr:
      case __NR_removexattr: add(Act::kChange, -1, 0, Follow::kLinks); return true;
      case __NR_lsetxattr:
      case __NR_lremovexattr: add(Act::kChange, -1, 0, Follow::kNotTheLast); return true;
      case __NR_execve: add(Act::kExecute, -1, 0, Follow::kLinks); return true;
      case __NR_chdir: add(Act::kEnter, -1, 0, Follow::kLinks); return true;
      default: return false;
    }
  }

  bool by_directory() {
    switch (call_.data.nr) {
      case __NR_openat: add_open(0, 1, argument(2)); return true;
      case __NR_mkdirat: add(Act::kMakeDirectory, 0, 1, Follow::kNotTheLast); return true;
      case __NR_mknodat: add(Act::kCreate, 0, 1, Follow::kNotTheLast); return true;
      case __NR_symlinkat: add(Act::kCreate, 1, 2, Follow::kNotTheLast); return true;
      case __NR_linkat:
        add(Act::kTake, 0, 1, (argument(4) & AT_SYMLINK_FOLLOW) != 0 ? Follow::kLinks : Follow::kNotTheLast) &&
            add(Act::kCreate, 2, 3, Follow::kNotTheLast);
        return true;
#ifdef __NR_renameat
      case __NR_renameat:
#endif
      case __NR_renameat2:
        add(Act::kRename, 0, 1, Follow::kNotTheLast) && add(Act::kRenameTo, 2, 3, Follow::kNotTheLast);
        return true;
      case __NR_unlinkat:
        add((argument(2) & AT_REMOVEDIR) != 0 ? Act::kRemoveDirectory : Act::kDelete, 0, 1, Follow::kNotTheLast);
        return true;
      case __NR_fchmodat: add(Act::kChange, 0, 1, Follow::kLinks); return true;
      case kFchmodat2:
      case __NR_utimensat: add(Act::kChange, 0, 1, unless(3, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_fchownat: add(Act::kChange, 0, 1, unless(4, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_execveat: add(Act::kExecute, 0, 1, unless(4, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_newfstatat: add(Act::kLook, 0, 1, unless(3, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_statx: add(Act::kLook, 0, 1, unless(2, AT_SYMLINK_NOFOLLOW)); return true;
      case __NR_faccessat: add(Act::kLook, 0, 1, Follow::kLinks); return true;
#ifdef __NR_faccessat2
      case __NR_faccessat2: add(Act::kLook, 0, 1, unless(3, AT_SYMLINK_NOFOLLOW)); return true;
#endif
      case __NR_readlinkat: add(Act::kLook, 0, 1, Follow::kNotTheLast); return true;
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
      Attempt& added = out_.files.emplace_back();
      added.act = connects ? Act::kConnect : Act::kBind;
      added.named = bytes->c_str() + kPath;  // ends where the address does, at the latest
      added.follow = connects ? Follow::kLinks : Follow::kNotTheLast;
    } else if (connects) {
      reach(address, size);
    }
  }

  void reach(const sockaddr_storage& address, std::size_t size) {
    Reach to;
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
    out_.reach = to;
    out_.socket = descriptor(0);
  }

  const seccomp_notif& call_;
  Attempts out_;
};

}  // namespace

Attempts attempts_of(const seccomp_notif& call) { return Reader(call).read(); }

}  // namespace pinfold::backend::on_linux
