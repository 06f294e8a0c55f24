// plugin_clipboard.cc: the directory with a socket and the names of commands that people know.
// Invariant: a directory that nobody holds the lock of is what a killed run left, and is removed.
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
constexpr int kBacklog = 16;
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

void clear(int directory) {
  ::unlinkat(directory, kSocket, 0);
  for (const char* name : kClipboardCommands) ::unlinkat(directory, name, 0);
}

// What runs left that were killed.
void tidy(int base) {
  const int copy = ::openat(base, ".", kDirectoryFlags);
  std::unique_ptr<DIR, int (*)(DIR*)> entries(copy >= 0 ? ::fdopendir(copy) : nullptr, ::closedir);
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (!name.starts_with(kPrefix)) continue;
    const auto fd = sys::Fd::adopt(::openat(base, name.c_str(), kDirectoryFlags));
    if (!fd.is_open() || ::flock(fd.raw(), LOCK_EX | LOCK_NB) != 0) continue;
    clear(fd.raw());
    ::unlinkat(base, name.c_str(), AT_REMOVEDIR);
  }
}

}  // namespace

Result<ClipboardSeat> ClipboardSeat::take(HostView& host) {
  PF_TRY(runtime, control::Place::open(host), "");
  const std::string& base = runtime.path();  // short, for an address has little room, and the user's alone
  PF_TRY(held, runtime.lock(), "");
  tidy(held.raw());
  std::string name(kPrefix);
  for (const char c : sys::temporary_name())
    if (name.size() < kPrefix.size() + 12 && std::isxdigit(static_cast<unsigned char>(c)) != 0) name += c;
  plugin::ClipboardPlace place;
  place.directory = paths::join(base, name);
  place.socket = paths::join(place.directory, kSocket);
  char own[PATH_MAX] = {};
  const ssize_t size = ::readlink("/proc/self/exe", own, sizeof own - 1);
  place.program.assign(own, size > 0 ? static_cast<std::size_t>(size) : 0);
  PF_TRY(made, sys::call("mkdir", place.directory, [&] { return ::mkdirat(held.raw(), name.c_str(), 0700); }), "");
  static_cast<void>(made);
  const auto open = [&] { return ::openat(held.raw(), name.c_str(), kDirectoryFlags); };
  PF_TRY(directory, sys::call_fd("open", place.directory, open), "");
  PF_TRY(own_lock, sys::call("flock", name, [&] { return ::flock(directory.raw(), LOCK_EX | LOCK_NB); }), "");
  static_cast<void>(own_lock);
  ClipboardSeat seat(std::move(place), std::move(directory));
  PF_CHECK(seat.furnish(), "");
  return seat;
}

Result<void> ClipboardSeat::furnish() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The plugin connects by this very path.
  if (place_.socket.size() >= sizeof address.sun_path)
    return fail(ErrorKind::kUnavailable,
                "the path of its clipboard is too long for a socket: " + text::shown(place_.socket),
                "set XDG_RUNTIME_DIR to a shorter path");
  std::memcpy(address.sun_path, place_.socket.c_str(), place_.socket.size() + 1);
  PF_TRY(fd,
         sys::call_fd("socket", "clipboard",
                      [] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }),
         "");
  PF_TRY(bound,
         sys::call("bind", place_.socket,
                   [&] { return ::bind(fd.raw(), reinterpret_cast<const sockaddr*>(&address), sizeof address); }),
         "");
  PF_TRY(listening, sys::call("listen", place_.socket, [&] { return ::listen(fd.raw(), kBacklog); }), "");
  static_cast<void>(bound);
  static_cast<void>(listening);
  listener_ = std::move(fd);
  for (const char* name : kClipboardCommands) {
    const auto link = [&] { return ::symlinkat(place_.program.c_str(), directory_.raw(), name); };
    PF_TRY(linked, sys::call("symlink", name, link), "");
    static_cast<void>(linked);
  }
  return {};
}

ClipboardSeat::~ClipboardSeat() {
  if (!directory_.is_open()) return;
  clear(directory_.raw());
  ::rmdir(place_.directory.c_str());
}

}  // namespace pinfold::cli
