// live_mounts.h: shows more, or less, in a sandbox that runs, and opens files for those in it.
// Invariant: each change is made whole or not at all, by a short-lived process (child/live_mount.cc); takes a few
// milliseconds. Not here: what is granted (plan), who asks (pending_approvals.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "backend/linux/child/name_change.h"
#include "backend/linux/child/live_mount.h"
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

// Which file: what has its name now must be the one that was there when somebody was asked.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

class Widener {
 public:
  // Asked for once, when something is granted.
  using Namespaces = std::function<Result<SandboxNamespaces>()>;
  using View = std::function<Result<std::unique_ptr<Lowered>>()>;  // the one in force
  Widener(Namespaces namespaces, View view) : namespaces_(std::move(namespaces)), view_(std::move(view)) {}

  // What `wider` shows at the grant's path and below it, seen from now on. `before`: what was shown so far.
  Result<void> show(const Grant& grant, const Lowered& wider, const Plan& before);
  // What shows there then: what did before; or, where the file has been replaced since, whatever lies there, and it is
  // up to replaced() to keep that as the view has it.
  enum class Left { kAsBefore, kBare };
  Result<Left> hide(const Grant& grant);
  // At or below something that was granted.
  bool shows(std::string_view path) const;
  // Is the name itself the place of a mount that was made for a grant?
  bool shows_at(const std::string& path) const {
    const auto known = mounted_.find(path);
    return known != mounted_.end() && known->second.number != 0;
  }

  // The file that has this name on the host is another one now: what was mounted on the old one went with it, and what
  // was mounted elsewhere shows the old one. Mounts anew what the view has at this very name.
  Result<void> replaced(const std::string& path);

  // Mounts the host's file at this path read-only at the same path inside.
  Result<void> freeze(const std::string& path);

  enum class Access { kRead, kWrite };
  // A regular file on the host, by a mount of its own that allows no more than this, whoever opens it again.
  Result<sys::Fd> open_copy(const std::string& path, FileIdentity identity, int flags, Access access);
  // A new regular file in this directory, likewise, with the mode that the umask leaves.
  Result<sys::Fd> create(const std::string& path, FileIdentity directory, int flags, std::uint32_t mode,
                         std::uint32_t umask);
  // 0, or the errno of the refused call.
  Result<int> truncate(const std::string& path, FileIdentity identity, std::int64_t size);

 private:
  Result<const SandboxNamespaces*> namespaces();
  // False: the directory is not the root of a mount that only has to become writable.
  Result<bool> open_up(const Grant& grant, const Lowered& wider);
  Result<void> close_up(const std::string& path, std::uint64_t mount);
  Result<sys::Fd> hand_over(const child::HandingOver& handing, const std::string& path);
  Result<void> unmount(const std::string& path, const char* unmake_in);

  Namespaces namespaces_;
  SandboxNamespaces taken_;
  View view_;
  struct Mounted {
    std::uint64_t number = 0;  // 0: it was granted, and needs no mount any more
    std::string made_in;       // where its place was made; empty: it was there
    bool directory = false;
    std::uint64_t opened = 0;  // the mount that was there before, read-only, and is writable now; 0: none
  };
  std::map<std::string, Mounted> mounted_;
  std::set<std::string> own_;  // masked directories that are the sandbox's own by now
};

// Done on the host, without capabilities. 0, or the errno of the refused call.
Result<int> change_name(const child::NameChange& change, const std::string& path);

}  // namespace pinfold::backend::on_linux
