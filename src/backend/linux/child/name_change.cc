// name_change.cc: one system call for each kind of change, or the steps of pinned_rename.h.
#include "backend/linux/child/name_change.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "backend/linux/child/descriptor_path.h"
#include "backend/linux/child/live_mount.h"
#include "backend/linux/child/packet.h"

namespace pinfold::backend::on_linux::child {
namespace {

int result(int done) noexcept { return done == 0 ? 0 : errno; }

// bind() has no form with a directory: one name, from the directory as the working directory. It follows no link.
int bind_socket(const NameChange& change) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(change.at.name);
  if (length >= sizeof address.sun_path) return ENAMETOOLONG;
  std::memcpy(address.sun_path, change.at.name, length + 1);
  if (::fchdir(change.at.parent) != 0) return errno;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length + 1);
  return result(::bind(change.file, reinterpret_cast<const sockaddr*>(&address), size));
}

int perform(const NameChange& change) noexcept {
  const PinnedName& at = change.at;
  switch (change.kind) {
    case NameChangeKind::kMakeDirectory: return result(::mkdirat(at.parent, at.name, change.mode));
    case NameChangeKind::kMakeNode: return result(::mknodat(at.parent, at.name, change.mode, 0));
    case NameChangeKind::kMakeSymlink: return result(::symlinkat(change.text, at.parent, at.name));
    case NameChangeKind::kMakeLink:
      return result(::linkat(AT_FDCWD, DescriptorPath(change.file).text(), at.parent, at.name, AT_SYMLINK_FOLLOW));
    case NameChangeKind::kBindSocket: return bind_socket(change);
    case NameChangeKind::kRemove: return remove_pinned(at);
    case NameChangeKind::kRename: return rename_pinned(at, change.to, change.flags);
  }
  return EINVAL;
}

}  // namespace

bool drop_all_capabilities() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

void change_name(const NameChange& change, int reply) noexcept {
  ::umask(change.umask);
  LiveMountResult out{};
  out.failure = Failure{Stage::kNone, 0, -1};
  if (!drop_all_capabilities()) {
    out.failure = Failure{Stage::kCapabilities, errno, -1};
  } else if (const int error = perform(change); error == kOtherFile) {
    out.failure = Failure{Stage::kCheck, ESTALE, -1};
  } else {
    out.error = error;
  }
  send_packet(reply, &out, sizeof out, -1);
  ::_exit(0);
}

}  // namespace pinfold::backend::on_linux::child
