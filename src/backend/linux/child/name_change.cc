// name_change.cc: one system call for each kind of change, or the steps of pinned_rename.h.
#include "backend/linux/child/name_change.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "backend/linux/child/descriptor_path.h"
#include "backend/linux/child/live_mount.h"
#include "backend/linux/child/packet.h"

namespace pinfold::backend::on_linux::child {
namespace {

int result(int done) noexcept { return done == 0 ? 0 : errno; }

int perform(const NameChange& change) noexcept {
  const PinnedName& at = change.at;
  switch (change.kind) {
    case NameChangeKind::kMakeDirectory: return result(::mkdirat(at.parent, at.name, change.mode));
    case NameChangeKind::kMakeNode: return result(::mknodat(at.parent, at.name, change.mode, 0));
    case NameChangeKind::kMakeSymlink: return result(::symlinkat(change.text, at.parent, at.name));
    case NameChangeKind::kMakeLink:
      return result(::linkat(AT_FDCWD, DescriptorPath(change.file).text(), at.parent, at.name, AT_SYMLINK_FOLLOW));
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
