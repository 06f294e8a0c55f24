// runtime_dir.cc: session directories, their locks, and the symlinks from names to ids.
#include "control/runtime_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "control/peer.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::control {
namespace {

constexpr const char* kSocket = "control";
// Locks are on files of mode 0600, not on directories: on the landlock backend a command can open a hidden directory
// below a readable one, because Landlock's right to list a directory is inherited, but no file in it.
constexpr const char* kRuntimeLock = ".lock";
constexpr const char* kSessionLock = "lock";
constexpr const char* kRunMark = "run";  // a file beside the socket: the sandbox of a run, not a session
constexpr char kNameMark = '@';          // "@work" is a symlink to the directory of the session named "work"
constexpr int kBacklog = 128;
constexpr auto kExitPatience = std::chrono::seconds(1);         // with a process that cannot be examined
constexpr auto kListPatience = std::chrono::milliseconds(250);  // then list() goes on without the lock
constexpr auto kSessionLockPatience = std::chrono::seconds(2);  // with processes that test whether a session is alive
constexpr auto kConnectPatience = std::chrono::seconds(15);     // with a process that may be stopped (SIGSTOP)

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// These errors last: another directory is used then. After any other (EIO, EMFILE…) the next process could find the
// directory usable, and would not see the sessions of this one.
bool is_lasting(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM || error == EROFS || error == ELOOP ||
         error == ENAMETOOLONG;
}

// Opens or creates a directory that this user owns, with no access for others. kUnavailable: it cannot be used at all.
Result<sys::Fd> open_private(const std::string& path) {
  const auto failed = [&](const char* call, int error) {
    Error out = sys::os_error(call, path, error);
    return tl::unexpected<Error>(is_lasting(error) ? Error(ErrorKind::kUnavailable, out.text(), out.fix()) : out);
  };
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed("mkdir", errno);
  int raw = -1;
  do raw = ::open(path.c_str(), kDirectoryFlags);
  while (raw < 0 && errno == EINTR);
  if (raw < 0) return failed("open", errno);
  auto fd = sys::Fd::adopt(raw);
  struct stat info {};
  if (::fstat(fd.raw(), &info) != 0) return failed("fstat", errno);
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
    return fail(ErrorKind::kRefused,
                path + " is not a directory that only this user can access, so it is not used for sessions",
                "remove it, or set XDG_RUNTIME_DIR to a directory of your own");
  return fd;
}

// By descriptor: the path can be longer than sun_path.
sockaddr_un address_in(int directory, const std::string& below) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", directory, below);
  if (path.size() < sizeof address.sun_path) std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

bool is_id(const std::string& text) {
  return text.size() == 8 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<std::vector<std::string>> names_in(int directory, const std::string& path) {
  std::vector<std::string> out;
  PF_TRY(copy, sys::call_fd("open", path, [&] { return ::openat(directory, ".", kDirectoryFlags); }));
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(copy.raw()), ::closedir);
  if (!entries) return tl::unexpected<Error>(sys::os_error("fdopendir", path, errno));
  static_cast<void>(copy.release());
  for (;;) {
    errno = 0;  // adding a name may change it
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr) break;
    out.emplace_back(entry->d_name);
  }
  if (errno != 0) return tl::unexpected<Error>(sys::os_error("getdents64", path, errno));
  std::sort(out.begin(), out.end());
  return out;
}

// Empty: the link is gone.
Result<std::string> link_in(int directory, const std::string& name) {
  char target[64] = {};
  const ssize_t size = ::readlinkat(directory, name.c_str(), target, sizeof target - 1);
  if (size < 0 && errno != ENOENT && errno != EINVAL)
    return tl::unexpected<Error>(sys::os_error("readlink", name, errno));
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

// Whether a process holds the session's lock. A failure of another kind counts as alive: nothing is removed for it.
bool is_alive(int directory, const std::string& id) {
  const auto is_missing = [] { return errno == ENOENT || errno == ENOTDIR || errno == ELOOP; };
  const std::string path = id + "/" + kSessionLock;
  auto fd = sys::Fd::adopt(::openat(directory, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.is_open() && !is_missing()) return true;
  // Earlier versions locked the directory.
  if (!fd.is_open()) fd = sys::Fd::adopt(::openat(directory, id.c_str(), kDirectoryFlags));
  if (!fd.is_open()) return !is_missing();
  return ::flock(fd.raw(), LOCK_SH | LOCK_NB) != 0;
}

SandboxKind kind_of(int directory, const std::string& id) {
  const bool is_run = ::faccessat(directory, (id + "/" + kRunMark).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  return is_run ? SandboxKind::kRun : SandboxKind::kSession;
}

void remove_session(int directory, const std::string& id) {
  for (const char* each : {kSocket, kRunMark, kSessionLock}) ::unlinkat(directory, (id + "/" + each).c_str(), 0);
  ::unlinkat(directory, id.c_str(), AT_REMOVEDIR);
}

std::string enumerated(const std::vector<SandboxEntry>& entries) {
  std::string out;
  for (const SandboxEntry& each : entries) out += (out.empty() ? "" : ", ") + each.name;
  return out;
}

}  // namespace

Result<void> check_name(const std::string& name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const bool fits =
      !name.empty() && name.size() <= 64 && is_plain(name[0]) &&
      std::all_of(name.begin(), name.end(), [&](char c) { return is_plain(c) || c == '.' || c == '_' || c == '-'; });
  if (fits && !is_id(name)) return {};
  return fail(
      ErrorKind::kInvalid, "--name: " + text::shown(name.substr(0, 80)) + " cannot be a session's name",
      "letters, digits, '.', '_' and '-', beginning with a letter or a digit, at most 64; not eight hexadecimal "
      "digits, which are an id");
}

Result<RuntimeDir> RuntimeDir::open(HostView& host) {
  const auto runtime = host.variable("XDG_RUNTIME_DIR");
  if (runtime && runtime->starts_with("/")) {
    const std::string path = *runtime + "/pinfold";
    auto fd = open_private(path);
    if (fd) return RuntimeDir(path, std::move(*fd));
    if (fd.error().kind() == ErrorKind::kSystem)
      return tl::unexpected<Error>(std::move(fd).error().within("finding a directory for sessions"));
  }
  const std::string path = fmt::format("/tmp/pinfold-{}", ::geteuid());
  PF_TRY(fd, open_private(path), "finding a directory for sessions");
  return RuntimeDir(path, std::move(fd));
}

Result<sys::Fd> RuntimeDir::lock(std::chrono::milliseconds patience) const {
  return sys::lock_file(directory_.raw(), kRuntimeLock, path_, patience);
}

// With the lock held: no process is between creating a directory and locking it.
void RuntimeDir::tidy() {
  const auto names = names_in(directory_.raw(), path_).value_or(std::vector<std::string>());
  for (const std::string& name : names)
    if (is_id(name) && !is_alive(directory_.raw(), name)) remove_session(directory_.raw(), name);
  for (const std::string& name : names) {
    struct stat info {};
    if (name[0] == kNameMark && ::fstatat(directory_.raw(), name.c_str(), &info, 0) != 0 && errno == ENOENT)
      ::unlinkat(directory_.raw(), name.c_str(), 0);
  }
}

Result<std::vector<SandboxEntry>> RuntimeDir::list() {
  // Any program of the user can hold the lock. Then the dead sessions are only left out.
  const auto held = lock(kListPatience);
  if (held) tidy();
  std::vector<SandboxEntry> out;
  PF_TRY(names, names_in(directory_.raw(), path_), "listing the sessions");
  for (const std::string& name : names)
    if (is_id(name) && (held || is_alive(directory_.raw(), name)))
      out.push_back({name, name, kind_of(directory_.raw(), name)});
  for (const std::string& name : names) {
    if (name[0] != kNameMark) continue;
    PF_TRY(id, link_in(directory_.raw(), name), "listing the sessions");
    for (SandboxEntry& each : out)
      if (each.id == id) each.name = name.substr(1);
  }
  std::sort(out.begin(), out.end(), [](const SandboxEntry& a, const SandboxEntry& b) { return a.name < b.name; });
  return out;
}

Result<SandboxEntry> RuntimeDir::find(const std::string& wanted) {
  PF_TRY(entries, list());
  for (const SandboxEntry& each : entries)
    if (each.kind == SandboxKind::kRun && each.id == wanted)
      return fail(ErrorKind::kInvalid, each.id + " is the sandbox of a run, not a session",
                  "see: pinfold session list");
  std::erase_if(entries, [](const SandboxEntry& each) { return each.kind == SandboxKind::kRun; });
  std::vector<SandboxEntry> begins;
  for (const SandboxEntry& each : entries) {
    if (each.name == wanted || each.id == wanted) return each;
    if (!wanted.empty() && (each.name.starts_with(wanted) || each.id.starts_with(wanted))) begins.push_back(each);
  }
  if (begins.size() == 1) return begins[0];
  const std::string shown = text::shown(wanted.substr(0, 80));
  if (begins.size() > 1)
    return fail(ErrorKind::kInvalid,
                fmt::format("several sessions have names that begin with {}: {}", shown, enumerated(begins)),
                "give more of the name");
  if (entries.empty())
    return fail(ErrorKind::kInvalid, fmt::format("there is no session {}; no session is running", shown),
                "start one: pinfold session start");
  return fail(ErrorKind::kInvalid,
              fmt::format("there is no session {}; these are running: {}", shown, enumerated(entries)),
              "see: pinfold session list");
}

Result<sys::Fd> RuntimeDir::connect(const std::string& name, Wait wait) const {
  const auto nothing = [&] { return fail(ErrorKind::kNotFound, text::shown(name.substr(0, 80)) + " does not answer"); };
  if (name.empty() || name.size() > 64 || name.find('/') != std::string::npos) return nothing();
  const int kind = SOCK_SEQPACKET | SOCK_CLOEXEC | (wait == Wait::kNever ? SOCK_NONBLOCK : 0);
  PF_TRY(fd, sys::call_fd("socket", "control", [&] { return ::socket(AF_UNIX, kind, 0); }));
  const std::string directory = is_id(name) ? name : kNameMark + name;
  const sockaddr_un address = address_in(directory_.raw(), directory + "/" + kSocket);
  if (address.sun_path[0] == '\0') return nothing();
  // A stopped process accepts no connection: once its backlog is full, connect() without a time-out would block for
  // ever.
  const timeval patience{kConnectPatience.count(), 0};
  ::setsockopt(fd.raw(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  while (::connect(fd.raw(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EAGAIN)
      return fail(ErrorKind::kUnavailable,
                  fmt::format("the session {} accepts no connection: its process may be stopped", text::shown(name)),
                  "find the process and let it go on (kill -CONT PID): ps -e -o pid,stat,args | grep pinfold");
    if (errno != EINTR) return nothing();
  }
  // A sandboxed process that took over the directory would receive the caller's arguments and descriptors.
  if (const auto peer = check_peer(fd.raw()); !peer) {
    // A process that is about to exit cannot be examined any more.
    if (has_peer_exited(fd.raw(), kExitPatience)) return nothing();
    PF_CHECK(peer, "Pinfold does not connect to the session " + text::shown(name));
  }
  if (wait == Wait::kNever) ::fcntl(fd.raw(), F_SETFL, 0);
  return fd;
}

Result<SessionDir> SessionDir::create(RuntimeDir runtime, const std::string& name, SandboxKind kind) {
  PF_TRY(held, runtime.lock());
  runtime.tidy();
  const int base = runtime.directory_.raw();
  struct stat info {};
  if (!name.empty() && ::fstatat(base, (kNameMark + name).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
    return fail(ErrorKind::kInvalid, "there is a session " + text::shown(name) + " already",
                "choose another --name, or end that one: pinfold session stop " + name);
  for (;;) {
    std::uint32_t number = 0;
    PF_TRY(got, sys::call("getrandom", "", [&] { return ::getrandom(&number, sizeof number, 0); }));
    static_cast<void>(got);
    const std::string id = fmt::format("{:08x}", number);
    if (::mkdirat(base, id.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return tl::unexpected<Error>(sys::os_error("mkdir", runtime.path_ + "/" + id, errno));
    }
    PF_TRY(fd, sys::call_fd("open", id, [&] { return ::openat(base, id.c_str(), kDirectoryFlags); }));
    const std::string shown = runtime.path_ + "/" + id;
    PF_TRY(locked, sys::lock_file(fd.raw(), kSessionLock, shown, kSessionLockPatience));
    SessionDir session(std::move(runtime), SandboxEntry{id, name.empty() ? id : name, kind}, std::move(fd),
                       std::move(locked));
    if (kind == SandboxKind::kRun) {
      const int into = session.directory_.raw();
      constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
      PF_TRY(mark, sys::call_fd("open", kRunMark, [&] { return ::openat(into, kRunMark, kFlags, 0600); }));
    }
    if (!name.empty()) {
      const int into = session.runtime_.directory_.raw();
      PF_TRY(linked,
             sys::call("symlink", name, [&] { return ::symlinkat(id.c_str(), into, (kNameMark + name).c_str()); }));
      static_cast<void>(linked);
    }
    return session;
  }
}

Result<sys::Fd> SessionDir::listen() {
  PF_TRY(fd, sys::call_fd("socket", "control",
                          [] { return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }));
  const sockaddr_un address = address_in(directory_.raw(), kSocket);
  const mode_t mask = ::umask(0177);
  const int bound = ::bind(fd.raw(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  ::umask(mask);
  if (bound != 0) return tl::unexpected<Error>(sys::os_error("bind", entry_.id, error));
  if (::listen(fd.raw(), kBacklog) != 0) return tl::unexpected<Error>(sys::os_error("listen", entry_.id, errno));
  return fd;
}

void SessionDir::leave() {
  if (!directory_.is_open()) return;
  const int base = runtime_.directory_.raw();
  if (entry_.name != entry_.id) ::unlinkat(base, (kNameMark + entry_.name).c_str(), 0);
  remove_session(base, entry_.id);
  directory_.reset();
  lock_.reset();
}

}  // namespace pinfold::control
