// name_change.cc: one system call for each kind of change, or the steps of pinned_rename.h.
#include "backend/linux/child/name_change.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "backend/linux/child/descriptor_path.h"
#include "backend/linux/child/packet.h"
#include "backend/linux/child/live_mount.h"

namespace pinfold::backend::on_linux::child {
namespace {

int result(int done) noexcept { return done == 0 ? 0 : errno; }

int carry_out(const NameChange& change) noexcept {
  const PinnedName& at = change.at;
  switch (change.act) {
    case NameAct::kMakeDirectory: return result(::mkdirat(at.parent, at.name, change.mode));
    case NameAct::kMakeNode: return result(::mknodat(at.parent, at.name, change.mode, 0));
    case NameAct::kMakeSymlink: return result(::symlinkat(change.text, at.parent, at.name));
    case NameAct::kMakeLink:
      return result(::linkat(AT_FDCWD, DescriptorPath(change.file).text(), at.parent, at.name, AT_SYMLINK_FOLLOW));
    case NameAct::kRemove: return remove_exactly(at);
    case NameAct::kRename: return rename_exactly(at, change.to, change.flags);
  }
  return EINVAL;
}

}  // namespace

bool give_up_capabilities() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

void change_name(const NameChange& change, int reply) noexcept {
  ::umask(change.umask);
  Widened out{};
  out.failure = Failure{Stage::kNone, 0, -1};
  if (!give_up_capabilities()) {
    out.failure = Failure{Stage::kCapabilities, errno, -1};
  } else if (const int error = carry_out(change); error == kOtherFile) {
    out.failure = Failure{Stage::kCheck, ESTALE, -1};
  } else {
    out.error = error;
  }
  send_packet(reply, &out, sizeof out, -1);
  ::_exit(0);
}

}  // namespace pinfold::backend::on_linux::child
