// files.cc: reads files with their owner; writes them whole or not at all; locks.
// Invariant: text, owner and mode come from one descriptor; new text is on the disk before the rename.
// Not here: which files, and which owners are accepted.
#include "sys/files.h"

#include <fcntl.h>
#ifdef __linux__
#include <linux/openat2.h>
#endif
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/open_how.h"

namespace pinfold::sys {
namespace {

using text::shown;

constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

int open_inside(int directory, const std::string& name) {
#ifdef __linux__
  Fd fd = open_under(directory, name.c_str(), kReadFlags, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
  if (fd.is_open() || (errno != ENOSYS && errno != EPERM)) return fd.release();
  return ::openat(directory, name.c_str(), kReadFlags | O_NOFOLLOW);  // before 5.6: symlinks are refused
#else
  return ::openat(directory, name.c_str(), kReadFlags | O_NOFOLLOW_ANY);  // symlinks are refused in every component
#endif
}

// The path that an open directory has now; empty if it cannot be found.
std::string path_of(int directory) {
#ifdef __linux__
  std::array<char, 4096> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(directory);
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  return size > 0 && target[0] == '/' ? std::string(target.data(), static_cast<std::size_t>(size)) : std::string();
#else
  std::array<char, 4096> path{};
  return ::fcntl(directory, F_GETPATH, path.data()) == 0 ? std::string(path.data()) : std::string();
#endif
}

// The process that took the flock() on this file, by /proc/locks ("1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF").
// 0: not found, as on a file system whose st_dev is not the device of that list (btrfs), or if it has exited.
pid_t holder_of(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return 0;
  const auto file = Fd::adopt(::open("/proc/locks", kReadFlags));
  std::string all;
  std::array<char, 16384> buffer{};
  for (ssize_t size = 0; file.is_open() && (size = ::read(file.raw(), buffer.data(), buffer.size())) > 0;)
    all.append(buffer.data(), static_cast<std::size_t>(size));
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    unsigned device_major = 0;
    unsigned device_minor = 0;
    unsigned long long inode = 0;
    int pid = 0;
    const std::string line = all.substr(at, end - at);
    at = end + 1;
    if (std::sscanf(line.c_str(), "%*u: FLOCK %*s %*s %d %x:%x:%llu", &pid, &device_major, &device_minor, &inode) ==
            4 &&
        inode == info.st_ino && makedev(device_major, device_minor) == info.st_dev && pid > 0 &&
        (::kill(pid, 0) == 0 || errno == EPERM))
      return pid;
  }
  return 0;
}

tl::unexpected<Error> held_too_long(int fd, const std::string& path, std::chrono::milliseconds timeout) {
  const std::string seconds = std::to_string(timeout.count() / 1000) + " seconds";
  if (const pid_t pid = holder_of(fd); pid > 0)
    return fail(ErrorKind::kSystem,
                "process " + std::to_string(pid) + " has held the lock on " + shown(path) + " for " + seconds,
                "end it, then try again: kill " + std::to_string(pid));
  return fail(ErrorKind::kSystem, "another program has held the lock on " + shown(path) + " for " + seconds,
              "end that program, then try again; this lists it: fuser -v " + text::shell_word(path));
}

}  // namespace

std::string temporary_name() {
  std::array<std::uint64_t, 2> bits{};
  if (::getrandom(bits.data(), sizeof bits, 0) != static_cast<ssize_t>(sizeof bits))
    bits = {static_cast<std::uint64_t>(::getpid()), 0};  // O_EXCL still guards the name
  return ".pinfold-" + std::to_string(bits[0]) + std::to_string(bits[1]);
}

Result<std::string> fresh_secret() {
  std::array<unsigned char, 16> bytes{};
  PF_TRY(got, call("getrandom", "a secret", [&] { return ::getrandom(bytes.data(), bytes.size(), 0); }));
  if (static_cast<std::size_t>(got) != bytes.size())
    return fail(ErrorKind::kSystem, "getrandom() returned too few bytes");
  std::string out;
  for (const unsigned char each : bytes) {
    out += "0123456789abcdef"[each >> 4];
    out += "0123456789abcdef"[each & 15];
  }
  return out;
}

Result<void> write_all(int fd, std::string_view text, const std::string& shown_as) {
  while (!text.empty()) {
    PF_TRY(written, call("write", shown_as, [&] { return ::write(fd, text.data(), text.size()); }));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> publish_file(int directory, const std::string& name, std::string_view text, const std::string& shown_as) {
  const std::string temporary = temporary_name();
  PF_TRY(fd, call_fd("openat", shown_as, [&] {
           return ::openat(directory, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
         }));
  const auto publish = [&]() -> Result<void> {
    PF_CHECK(write_all(fd.raw(), text, shown_as));
    PF_TRY(synced, call("fsync", shown_as, [&] { return ::fsync(fd.raw()); }));
    PF_TRY(renamed,
           call("rename", shown_as, [&] { return ::renameat(directory, temporary.c_str(), directory, name.c_str()); }));
    static_cast<void>(synced);
    static_cast<void>(renamed);
    return {};
  };
  auto published = publish();
  if (!published) {
    ::unlinkat(directory, temporary.c_str(), 0);
    return published;
  }
  // The name must survive a crash, too. fsync() fails on a descriptor with O_PATH: open the directory again.
  if (const int again = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); again >= 0) {
    ::fsync(again);
    ::close(again);
  }
  return {};
}

Result<HeldName> check_not_replaced(int directory, const std::string& path) {
  struct stat held {};
  struct stat named {};
  PF_TRY(known, call("fstat", path, [&] { return ::fstat(directory, &held); }));
  static_cast<void>(known);
  if (::stat(path.c_str(), &named) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return HeldName::kGone;
    return tl::unexpected<Error>(os_error("stat", path, errno));
  }
  if (held.st_dev == named.st_dev && held.st_ino == named.st_ino) return HeldName::kUnchanged;
  return fail(ErrorKind::kRefused, shown(path) + " was replaced while the command ran, so nothing was written there",
              "check the new directory, then use another directory that the command cannot write to");
}

Result<void> publish_after_run(int directory, const std::string& path, int target, const std::string& name,
                               std::string_view text, const std::string& shown_as) {
  PF_TRY(before, check_not_replaced(directory, path));
  PF_CHECK(publish_file(target, name, text, shown_as));
  // Once more: in a session, other commands still run and can move the directory in between.
  const auto after = check_not_replaced(directory, path);
  if (before == HeldName::kUnchanged && after && *after == HeldName::kUnchanged) return {};
  if (!after && after.error().kind() == ErrorKind::kSystem) return tl::unexpected<Error>(after.error());
  const std::string real = path_of(target);
  return fail(ErrorKind::kRefused,
              shown(path) + " was moved or removed while the command ran; the file is " +
                  (real.empty() ? "in the directory's new place" : shown(paths::join(real, name))),
              "read it there, or name a file in a directory that the command cannot write to");
}

Result<HostFile> read_file_below(const std::string& directory, const std::string& name, Links links,
                                 std::size_t limit) {
  const std::string path = paths::join(directory, name);
  int raw = -1;
  if (links == Links::kAnywhere) {
    raw = ::open(path.c_str(), kReadFlags);
  } else {
    const int at = ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at >= 0) {
      raw = open_inside(at, name);
      const int error = errno;
      ::close(at);
      errno = error;
    }
  }
  if (raw < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return fail(ErrorKind::kNotFound, shown(path) + ": no such file or directory");
    if (links == Links::kStayInside && (errno == EXDEV || errno == ELOOP))
      return fail(ErrorKind::kRefused, shown(path) + " is a symlink that leads out of " + shown(directory));
    return tl::unexpected<Error>(os_error("open", path, errno));
  }
  const Fd fd = Fd::adopt(raw);
  struct stat info {};
  PF_TRY(known, call("fstat", path, [&] { return ::fstat(fd.raw(), &info); }));
  static_cast<void>(known);
  if (!S_ISREG(info.st_mode)) return fail(ErrorKind::kRefused, shown(path) + " is not a regular file");
  HostFile out{{}, info.st_uid, info.st_gid, info.st_mode & 07777U};
  std::array<char, 16384> buffer{};
  while (true) {
    PF_TRY(size, call("read", path, [&] { return ::read(fd.raw(), buffer.data(), buffer.size()); }));
    if (size == 0) return out;
    out.text.append(buffer.data(), static_cast<std::size_t>(size));
    if (out.text.size() > limit)
      return fail(ErrorKind::kRefused, shown(path) + " is longer than " + std::to_string(limit) + " bytes");
  }
}

Result<Fd> make_directory(const std::string& path) {
  int first_error = 0;  // the last error is often only ENOENT for the missing parent
  for (std::size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at);
    const std::string part = path.substr(0, at);
    const bool exists = ::mkdir(part.c_str(), 0700) == 0 || errno == EEXIST;
    if (!exists && first_error == 0) first_error = errno;
    if (!exists && at == std::string::npos) return tl::unexpected<Error>(os_error("mkdir", path, first_error));
    if (at != std::string::npos) ++at;
  }
  return call_fd("open", path, [&] { return ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); });
}

Result<void> make_directories(const std::string& path) {
  PF_CHECK(make_directory(path));
  return {};
}

Result<void> take_lock(int fd, Lock lock, const std::string& path, std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  const int operation = (lock == Lock::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  while (::flock(fd, operation) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return tl::unexpected<Error>(os_error("flock", path, errno));
    if (std::chrono::steady_clock::now() >= until) return held_too_long(fd, path, timeout);
    const std::timespec pause{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return {};
}

Result<Fd> lock_file(int directory, const std::string& name, const std::string& shown_as,
                     std::chrono::milliseconds timeout) {
  const std::string path = paths::join(shown_as, name);
  PF_TRY(fd, call_fd("openat", path, [&] {
           return ::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
         }));
  PF_CHECK(take_lock(fd.raw(), Lock::kExclusive, path, timeout));
  return fd;
}

Result<Fd> sealed_file(std::string_view bytes) {
#ifdef __linux__
  PF_TRY(fd, call_fd("memfd_create", "input", [] { return ::memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING); }));
  PF_CHECK(write_all(fd.raw(), bytes, "input"));
  PF_TRY(sealed, call("fcntl", "input", [&] {
           return ::fcntl(fd.raw(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
         }));
  PF_TRY(start, call("lseek", "input", [&] { return ::lseek(fd.raw(), 0, SEEK_SET); }));
  static_cast<void>(sealed);
  static_cast<void>(start);
  return fd;
#else
  // An unlinked file, opened again read-only, so that the receiver cannot write.
  std::string name = "/tmp/pinfold-input-XXXXXX";
  PF_TRY(fd, call_fd("mkstemp", name, [&] { return ::mkostemp(name.data(), O_CLOEXEC); }));
  PF_TRY(read_only, call_fd("open", name, [&] { return ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); }));
  ::unlink(name.c_str());
  PF_CHECK(write_all(fd.raw(), bytes, "input"));
  return read_only;
#endif
}

Result<void> create_file(const std::string& path, std::string_view text) {
  const int raw = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (raw < 0 && errno == EEXIST) return fail(ErrorKind::kInvalid, shown(path) + " exists already");
  if (raw < 0) return tl::unexpected<Error>(os_error("open", path, errno));
  const Fd fd = Fd::adopt(raw);
  auto written = write_all(fd.raw(), text, path);
  if (!written) ::unlink(path.c_str());
  return written;
}

}  // namespace pinfold::sys
