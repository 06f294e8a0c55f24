// brokered_call.h: one trapped call that the supervisor performs on the host for the caller.
// Invariant: performed on the directory and the file that were pinned when the approval request was made, following no
// link; a name that changed since is refused. The caller's memory is read once. Not here: approval requests
// (pending_approvals.h), changing the sandbox's mounts (live_mounts.h).
#pragma once

#include <linux/seccomp.h>

#include <optional>
#include <string>
#include <vector>

#include "backend/linux/grants/live_mounts.h"
#include "backend/linux/notify/handler.h"
#include "backend/linux/notify/syscall_request.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

// A name in a directory, and the file that had the name when it was pinned.
struct PinnedEntry {
  std::string path;
  sys::Fd parent;
  std::string name;
  sys::Fd fd;                        // that file: while it is open, no new file can get its inode number
  std::optional<FileIdentity> file;  // nullopt: it did not exist
  bool regular = false;
  bool directory = false;
};
Result<PinnedEntry> pin(const std::string& path);

class BrokeredCall {
 public:
  // `on_host`: the host paths of the request's paths, one for each. `access`: the plan's, for the first path: a
  // descriptor that was opened for reading can change the file's mode if its mount is writable. nullopt: the supervisor
  // cannot perform this call.
  static std::optional<BrokeredCall> of(const seccomp_notif& call, const SyscallRequest& request,
                                        const std::vector<std::string>& on_host, LiveMounts::Access access);

  // The call removes a name or gives it to another file.
  bool changes_names() const {
    return kind_ == Kind::kDelete || kind_ == Kind::kRemoveDirectory || kind_ == Kind::kRename;
  }
  // False: an approval request would not show the new mode or owner, or the socket that the host could connect to.
  bool is_plain() const { return kind_ != Kind::kAttributes && kind_ != Kind::kBind && kind_ != Kind::kTemporaryFile; }
  // Performs the call and responds to it. On an error it has not responded. `guard`: may be null.
  Result<void> perform(int listener, const seccomp_notif& call, LiveMounts& live_mounts, CreationGuard* guard) const;

 private:
  enum class Kind {
    kOpen,
    kTemporaryFile,
    kBind,
    kTruncate,
    kAttributes,
    kMakeDirectory,
    kMakeNode,
    kMakeSymlink,
    kMakeLink,
    kDelete,
    kRemoveDirectory,
    kRename,
  };
  explicit BrokeredCall(Kind kind) : kind_(kind) {}
  static std::optional<Kind> kind_of(const seccomp_notif& call, PathOperation operation);
  bool read_open_arguments(const seccomp_notif& call);
  // The names that the call makes: where it opens a file, none if the file exists.
  std::vector<const PinnedEntry*> made_names() const;
  Result<sys::Fd> open(const seccomp_notif& call, LiveMounts& live_mounts) const;
  Result<int> change(const seccomp_notif& call, LiveMounts& live_mounts) const;

  Kind kind_;
  std::vector<PinnedEntry> entries_;
  std::uint64_t flags_ = 0;
  std::uint32_t mode_ = 0;
  std::int64_t size_ = 0;
  std::string text_;  // of a symbolic link
  sys::Fd socket_;    // kBind: the caller's
  LiveMounts::Access access_ = LiveMounts::Access::kRead;
};

}  // namespace pinfold::backend::on_linux
