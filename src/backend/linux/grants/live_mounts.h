// live_mounts.h: adds and removes mounts in a running sandbox, and opens files for its processes.
// Invariant: each change is made whole or not at all, by a short-lived process (child/live_mount.cc); takes a few
// milliseconds. Not here: the rules of a grant (plan), approval requests (pending_approvals.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "backend/linux/child/live_mount.h"
#include "backend/linux/child/name_change.h"
#include "backend/linux/lower/lower.h"
#include "pinfold/grant.h"
#include "pinfold/plan.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct SandboxNamespaces {
  sys::Fd user;
  sys::Fd mounts;
};

// Identifies the file that had a name when the approval request was made.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

class LiveMounts {
 public:
  // Called once, at the first grant.
  using Namespaces = std::function<Result<SandboxNamespaces>()>;
  using CurrentView = std::function<Result<std::unique_ptr<LoweredPlan>>()>;  // the one in force
  LiveMounts(Namespaces namespaces, CurrentView view)
      : namespaces_(std::move(namespaces)), current_view_(std::move(view)) {}

  // Mounts everything that `wider` shows at the grant's path and below it. `before`: the plan so far.
  Result<void> show(const Grant& grant, const LoweredPlan& wider, const Plan& before);
  // Removes the grant's mount. kPrevious: the path shows the same as before the grant. kReplaced: the file was replaced
  // since, and the path shows the new file without a mount; the caller then calls restore_mount().
  enum class HideResult { kPrevious, kReplaced };
  Result<HideResult> hide(const Grant& grant);
  // The path is a granted path or lies below one.
  bool is_granted(std::string_view path) const;
  // A mount that was made for a grant lies on this very path.
  bool has_mount_at(const std::string& path) const {
    const auto known = granted_mounts_.find(path);
    return known != granted_mounts_.end() && known->second.mount_id != 0;
  }

  // A new file has this name on the host. The kernel removed the mounts on the old file, and mounts elsewhere still
  // show the old file. Mounts again the entry that the current plan has for this very path.
  Result<void> restore_mount(const std::string& path);

  // Mounts the host's file at this path read-only at the same path in the sandbox.
  Result<void> freeze(const std::string& path);

  enum class Access { kRead, kWrite };
  // Opens a regular file on the host through a mount of its own with no more access than this, so that reopening the
  // descriptor through /proc gives no more.
  Result<sys::Fd> open_copy(const std::string& path, FileIdentity identity, int flags, Access access);
  // Creates a regular file in this directory, likewise, with `mode` less the umask.
  Result<sys::Fd> create(const std::string& path, FileIdentity directory, int flags, std::uint32_t mode,
                         std::uint32_t umask);
  // Creates a file without a name in this directory (O_TMPFILE), likewise.
  Result<sys::Fd> make_unnamed(const std::string& directory, FileIdentity identity, int flags, std::uint32_t mode,
                               std::uint32_t umask);
  // 0, or the errno of the refused call.
  Result<int> truncate(const std::string& path, FileIdentity identity, std::int64_t size);

 private:
  Result<const SandboxNamespaces*> namespaces();
  // False: clearing the read-only flag of the directory's own mount is not enough.
  Result<bool> make_writable(const Grant& grant, const LoweredPlan& wider);
  Result<void> make_read_only(const std::string& path, std::uint64_t mount);
  Result<sys::Fd> request_descriptor(const child::OpenFileRequest& request, const std::string& path);
  Result<void> unmount(const std::string& path, const char* unmake_in);

  Namespaces namespaces_;
  SandboxNamespaces cached_namespaces_;
  CurrentView current_view_;
  struct GrantedMount {
    std::uint64_t mount_id = 0;  // 0: granted, and needs no mount any more
    std::string made_in;         // the tmpfs in which the mount point was made; empty: it existed
    bool directory = false;
    std::uint64_t made_writable =
        0;  // the id of the mount that existed before and that the grant made writable; 0: none
  };
  std::map<std::string, GrantedMount> granted_mounts_;
  std::set<std::string> own_directories_;  // masked directories that a tmpfs of the sandbox has replaced
};

// Changes a name on the host, in a process without capabilities. Returns 0, or the errno of the refused call.
Result<int> change_name(const child::NameChange& change, const std::string& path);

}  // namespace pinfold::backend::on_linux
