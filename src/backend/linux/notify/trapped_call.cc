// trapped_call.cc: reads the arguments of trapped calls and sends responses.
#include "backend/linux/notify/trapped_call.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "sys/open_how.h"

namespace pinfold::backend::on_linux {
namespace {

struct Shape {
  int directory;  // index of the dirfd argument, -1 for the working directory
  int path;       // index of the path argument
  Follow follow = Follow::kNotTheLast;
};

std::optional<Shape> shape_of(const seccomp_notif& call) {
  auto if_creates = [&](int flags, Shape shape) {
    if ((call.data.args[flags] & O_CREAT) == 0) return std::optional<Shape>();
    // A symbolic link as the last component: the kernel creates the file at its target.
    if ((call.data.args[flags] & (O_EXCL | O_NOFOLLOW)) == 0) shape.follow = Follow::kLinks;
    return std::optional(shape);
  };
  switch (call.data.nr) {
#ifdef __NR_open
    case __NR_open: return if_creates(1, Shape{-1, 0});
    case __NR_creat: return Shape{-1, 0, Follow::kLinks};
    case __NR_mkdir:
    case __NR_mknod: return Shape{-1, 0};
    case __NR_symlink:
    case __NR_link:
    case __NR_rename: return Shape{-1, 1};
#endif
    case __NR_openat: return if_creates(2, Shape{0, 1});
    case __NR_mkdirat:
    case __NR_mknodat: return Shape{0, 1};
    case __NR_symlinkat: return Shape{1, 2};
    case __NR_linkat:
#ifdef __NR_renameat
    case __NR_renameat:
#endif
    case __NR_renameat2: return Shape{2, 3};
    // A local socket with a path is a file. Only the address in the caller's memory shows whether there is a path.
    case __NR_bind: return Shape{-1, 1};
    default: return std::nullopt;
  }
}

// The name that the call removes.
std::optional<Shape> removal_of(const seccomp_notif& call) {
  switch (call.data.nr) {
#ifdef __NR_unlink
    case __NR_unlink:
    case __NR_rmdir:
    case __NR_rename: return Shape{-1, 0};
#endif
    case __NR_unlinkat:
#ifdef __NR_renameat
    case __NR_renameat:
#endif
    case __NR_renameat2: return Shape{0, 1};
    default: return std::nullopt;
  }
}

// False: the caller's memory cannot be read.
bool add_name(const seccomp_notif& call, Shape shape, std::vector<NewName>& names) {
  auto path = call.data.nr == __NR_bind ? socket_path(call) : read_string(call.pid, call.data.args[shape.path]);
  if (!path) return false;
  if (path->empty()) return true;
  NewName out;
  out.named = *path;
  out.address = call.data.args[shape.path];
  while (path->size() > 1 && path->back() == '/') path->pop_back();
  out.name = path->substr(path->rfind('/') + 1);
  if (out.name.empty() || out.name == "." || out.name == "..") return true;
  out.base = shape.directory < 0 ? AT_FDCWD : static_cast<int>(call.data.args[shape.directory]);
  out.follow = shape.follow;
  names.push_back(std::move(out));
  return true;
}

}  // namespace

std::string read_link(const std::string& path) {
  std::array<char, 4096> buffer{};
  ssize_t size = ::readlink(path.c_str(), buffer.data(), buffer.size());
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

bool creates_a_name(const seccomp_notif& call) { return shape_of(call).has_value(); }

bool removes_a_name(const seccomp_notif& call) { return removal_of(call).has_value(); }

CallerRef caller_of(std::uint32_t thread) {
  CallerRef out;
  const std::string process = "/proc/" + std::to_string(thread);
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen((process + "/status").c_str(), "re"), std::fclose);
  std::array<char, 256> line{};
  while (file && out.pid == 0 && std::fgets(line.data(), line.size(), file.get()) != nullptr)
    static_cast<void>(std::sscanf(line.data(), "Tgid: %u", &out.pid));
  const std::string program = read_link(process + "/exe");
  out.program = program.substr(program.rfind('/') + 1);
  return out;
}

void set_caller(Denial& denial, CallerRef caller, const std::string& named) {
  denial.pid = caller.pid;
  denial.program = std::move(caller.program);
  if (named != denial.resource) denial.named = named;
}

std::optional<std::string> read_string(std::uint32_t pid, std::uint64_t address) {
  std::array<char, 4096> buffer{};
  iovec local{buffer.data(), buffer.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in another process
  iovec remote{reinterpret_cast<void*>(address), buffer.size()};
  ssize_t size = ::process_vm_readv(static_cast<pid_t>(pid), &local, 1, &remote, 1, 0);
  if (size < 0) {  // the string may end right before an unmapped page
    remote.iov_len = 4096 - (address & 4095);
    size = ::process_vm_readv(static_cast<pid_t>(pid), &local, 1, &remote, 1, 0);
  }
  if (size <= 0) {
    if (errno != EPERM) errno = EFAULT;
    return std::nullopt;
  }
  std::size_t length = ::strnlen(buffer.data(), static_cast<std::size_t>(size));
  if (length == static_cast<std::size_t>(size)) {
    errno = length == buffer.size() ? ENAMETOOLONG : EFAULT;
    return std::nullopt;
  }
  return std::string(buffer.data(), length);
}

std::optional<std::string> read_bytes(std::uint32_t pid, std::uint64_t address, std::size_t size) {
  std::string out(size, '\0');
  iovec local{out.data(), out.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in another process
  iovec remote{reinterpret_cast<void*>(address), size};
  if (size > 0 && ::process_vm_readv(static_cast<pid_t>(pid), &local, 1, &remote, 1, 0) != static_cast<ssize_t>(size))
    return std::nullopt;
  return out;
}

std::optional<std::string> socket_path(const seccomp_notif& call) {
  sockaddr_un address{};
  const auto size = static_cast<std::uint32_t>(call.data.args[2]);
  if (size > sizeof(sockaddr_storage)) return std::string();  // EINVAL
  errno = 0;
  const auto bytes = read_bytes(call.pid, call.data.args[1], std::min<std::size_t>(size, sizeof address));
  if (!bytes) {
    if (errno != EPERM) errno = EFAULT;
    return std::nullopt;
  }
  std::memcpy(&address, bytes->data(), bytes->size());
  if (address.sun_family != AF_UNIX || bytes->size() <= offsetof(sockaddr_un, sun_path)) return std::string();
  return std::string(address.sun_path, ::strnlen(address.sun_path, sizeof address.sun_path));
}

std::optional<std::vector<NewName>> names_created(const seccomp_notif& call) {
  std::vector<NewName> names;
  auto shape = shape_of(call);
  if (!shape) return names;
  if (!add_name(call, *shape, names)) return std::nullopt;
  // RENAME_EXCHANGE creates at both ends.
  if (call.data.nr == __NR_renameat2 && (call.data.args[4] & 2) != 0 && !add_name(call, Shape{0, 1}, names))
    return std::nullopt;
  return names;
}

std::optional<std::vector<NewName>> names_removed(const seccomp_notif& call) {
  std::vector<NewName> names;
  auto shape = removal_of(call);
  if (shape && !add_name(call, *shape, names)) return std::nullopt;
  return names;
}

sys::Fd open_for(std::uint32_t pid, int directory, const std::string& path, Follow follow) {
  const std::string process = "/proc/" + std::to_string(pid);
  auto descriptor = [&](const std::string& number) {
    return sys::Fd::adopt(::open((process + "/fd/" + number).c_str(), O_PATH | O_CLOEXEC));
  };
  if (path.empty()) return descriptor(std::to_string(directory));
  // The C library uses these paths when it has only a descriptor.
  for (const std::string& own : {std::string("/proc/self"), std::string("/proc/thread-self"), process})
    if (path.starts_with(own + "/fd/") && path.find_first_not_of("0123456789", own.size() + 4) == std::string::npos)
      return descriptor(path.substr(own.size() + 4));
  auto base = sys::Fd::adopt(::open((process + "/cwd").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (directory != AT_FDCWD && path[0] != '/') base = descriptor(std::to_string(directory));
  if (!base.is_open()) return base;
  const std::uint64_t flags = O_PATH | (follow == Follow::kNotTheLast ? std::uint64_t{O_NOFOLLOW} : 0);
  return sys::open_under(base.raw(), path.c_str(), flags, RESOLVE_NO_MAGICLINKS);
}

std::string path_of(const sys::Fd& fd) {
  std::string path = read_link("/proc/self/fd/" + std::to_string(fd.raw()));
  return path.starts_with("/") && !path.ends_with(" (deleted)") ? path : std::string();
}

// seccomp names the calling thread. Before 6.9 pidfd_open() takes whole processes only (EINVAL for other threads): then
// the descriptors of the process are used if kcmp() says that the thread shares them.
sys::Fd take_descriptor(std::uint32_t thread, int number) {
  constexpr unsigned kThread = O_EXCL;  // PIDFD_THREAD
  auto owner = sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_open, thread, kThread)));
  if (!owner.is_open() && errno == EINVAL) {
    const std::uint32_t process = caller_of(thread).pid;
    if (process != thread && ::syscall(SYS_kcmp, process, thread, KCMP_FILES, 0, 0) != 0) {
      errno = EBADF;
      return owner;
    }
    owner = sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  }
  if (!owner.is_open()) return owner;
  return sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_getfd, owner.raw(), number, 0)));
}

// The kernel takes the listener's lock interruptibly in each of these ioctls: a signal ends it with EINTR before it has
// done anything. Without a retry the response would be lost, and the caller would wait for ever.
int listener_ioctl(int listener, unsigned long request, void* argument) {
  for (;;) {
    const int answer = ::ioctl(listener, request, argument);
    if (answer >= 0 || errno != EINTR) return answer;
  }
}

bool still_waits(int listener, const seccomp_notif& call) {
  std::uint64_t id = call.id;
  return listener_ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void answer_descriptor(int listener, const seccomp_notif& call, const sys::Fd& fd, unsigned flags) {
  seccomp_notif_addfd add{};
  add.id = call.id;
  add.srcfd = static_cast<std::uint32_t>(fd.raw());
  add.newfd_flags = flags;
  // Two ioctls, because SECCOMP_ADDFD_FLAG_SEND needs 5.14. If the caller dies between them, its descriptor goes, too.
  const int number = listener_ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
  seccomp_notif_resp response{};
  response.id = call.id;
  if (number >= 0)
    response.val = number;
  else
    response.error = -EIO;
  listener_ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void answer_result(int listener, const seccomp_notif& call, int error) {
  seccomp_notif_resp response{};
  response.id = call.id;
  response.error = -error;
  listener_ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);  // ENOENT: the caller has exited
}

void answer_call(int listener, const seccomp_notif& call, CallResponse reply) {
  seccomp_notif_resp response{};
  response.id = call.id;
  if (reply == CallResponse::kRefuse)
    response.error = -EACCES;
  else
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  listener_ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);  // ENOENT: the caller has exited
}

}  // namespace pinfold::backend::on_linux
