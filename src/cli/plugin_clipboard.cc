// plugin_clipboard.cc: a directory with a socket and symbolic links named like the usual clipboard commands.
// Invariant: a directory whose lock no process holds was left by a killed run, and is removed.
// Not here: the commands themselves (clipboard_command.cc).
#include "cli/plugin_clipboard.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <memory>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/clipboard_command.h"
#include "control/runtime_dir.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

constexpr const char* kSocket = "socket";
constexpr std::string_view kPrefix = "clipboard-";
constexpr std::string_view kLockPrefix = ".lock-";  // beside the directory, which the plugin can open and lock
constexpr auto kLockPatience = std::chrono::seconds(2);
constexpr int kBacklog = 16;
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

void clear(int directory) {
  ::unlinkat(directory, kSocket, 0);
  for (const char* name : kClipboardCommands) ::unlinkat(directory, name, 0);
}

// Removes the directories of killed runs.
void remove_stale(int base) {
  const int copy = ::openat(base, ".", kDirectoryFlags);
  std::unique_ptr<DIR, int (*)(DIR*)> entries(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (!name.starts_with(kPrefix)) continue;
    const auto fd = sys::Fd::adopt(::openat(base, name.c_str(), kDirectoryFlags));
    if (!fd.is_open()) continue;
    const std::string lock_name = std::string(kLockPrefix) + name;
    const auto lock = sys::Fd::adopt(::openat(base, lock_name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!lock.is_open() && errno != ENOENT) continue;
    // Earlier versions locked the directory.
    if (::flock(lock.is_open() ? lock.raw() : fd.raw(), LOCK_EX | LOCK_NB) != 0) continue;
    clear(fd.raw());
    ::unlinkat(base, name.c_str(), AT_REMOVEDIR);
    ::unlinkat(base, lock_name.c_str(), 0);
  }
}

}  // namespace

Result<ClipboardDir> ClipboardDir::create(HostView& host) {
  PF_TRY(runtime, control::RuntimeDir::open(host));
  const std::string& base = runtime.path();  // short, because sun_path has 108 bytes; only the user has access
  PF_TRY(held, runtime.lock());
  static_cast<void>(held);
  remove_stale(runtime.raw());
  std::string name(kPrefix);
  for (const char c : sys::temporary_name())
    if (name.size() < kPrefix.size() + 12 && std::isxdigit(static_cast<unsigned char>(c)) != 0) name += c;
  plugin::ClipboardPaths place;
  place.directory = paths::join(base, name);
  place.socket = paths::join(place.directory, kSocket);
  char own[PATH_MAX] = {};
  const ssize_t size = ::readlink("/proc/self/exe", own, sizeof own - 1);
  place.program.assign(own, size > 0 ? static_cast<std::size_t>(size) : 0);
  PF_TRY(own_lock, sys::lock_file(runtime.raw(), std::string(kLockPrefix) + name, base, kLockPatience));
  ClipboardDir clipboard(std::move(place), std::move(own_lock));
  PF_CHECK(clipboard.make(runtime.raw(), name));
  return clipboard;
}

Result<void> ClipboardDir::make(int base, const std::string& name) {
  PF_TRY(made, sys::call("mkdir", place_.directory, [&] { return ::mkdirat(base, name.c_str(), 0700); }));
  static_cast<void>(made);
  const auto open = [&] { return ::openat(base, name.c_str(), kDirectoryFlags); };
  PF_TRY(directory, sys::call_fd("open", place_.directory, open));
  directory_ = std::move(directory);
  return populate();
}

Result<void> ClipboardDir::populate() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The plugin connects by this very path.
  if (place_.socket.size() >= sizeof address.sun_path)
    return fail(ErrorKind::kUnavailable, "the clipboard's socket path is too long: " + text::shown(place_.socket),
                "set XDG_RUNTIME_DIR to a shorter path");
  std::memcpy(address.sun_path, place_.socket.c_str(), place_.socket.size() + 1);
  PF_TRY(fd, sys::call_fd("socket", "clipboard",
                          [] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }));
  PF_TRY(bound, sys::call("bind", place_.socket, [&] {
           return ::bind(fd.raw(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
         }));
  PF_TRY(listening, sys::call("listen", place_.socket, [&] { return ::listen(fd.raw(), kBacklog); }));
  static_cast<void>(bound);
  static_cast<void>(listening);
  listener_ = std::move(fd);
  for (const char* name : kClipboardCommands) {
    const auto link = [&] { return ::symlinkat(place_.program.c_str(), directory_.raw(), name); };
    PF_TRY(linked, sys::call("symlink", name, link));
    static_cast<void>(linked);
  }
  return {};
}

ClipboardDir::~ClipboardDir() {
  if (!lock_.is_open()) return;
  if (directory_.is_open()) clear(directory_.raw());
  ::rmdir(place_.directory.c_str());
  const std::string base(paths::parent(place_.directory));
  const std::string name(paths::basename(place_.directory));
  ::unlink((base + "/" + std::string(kLockPrefix) + name).c_str());
}

}  // namespace pinfold::cli
