// brokered_call.h: one operation that a program in the sandbox waits for, done for it on the host by us.
// Invariant: done on what was pinned when somebody was asked, below that directory, following no link; what has changed
// since is refused. What the program's memory says is read once. Not here: asking (pending_approvals.h), showing more
// (live_mounts.h).
#pragma once

#include <linux/seccomp.h>

#include <optional>
#include <string>
#include <vector>

#include "backend/linux/notify/syscall_request.h"
#include "backend/linux/grants/live_mounts.h"
#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

// A name in a directory, and what it was.
struct Pinned {
  std::string path;
  sys::Fd parent;
  std::string name;
  sys::Fd held;                      // what had the name: as long as it is held, no other gets its number
  std::optional<FileIdentity> file;  // nothing: it did not exist
  bool regular = false;
  bool directory = false;
};
Result<Pinned> pin(const std::string& path);

class Deed {
 public:
  // `on_host`: where the names of the attempts lie on the host, one for each. Nothing: this is not among the operations
  // that can be done for somebody.
  static std::optional<Deed> of(const seccomp_notif& call, const Attempts& attempts,
                                const std::vector<std::string>& on_host);

  // A name comes to another file, or goes.
  bool changes_names() const {
    return kind_ == Kind::kDelete || kind_ == Kind::kRemoveDirectory || kind_ == Kind::kRename;
  }
  // A question shows neither which mode nor which owner it would be.
  bool is_plain() const { return kind_ != Kind::kAttributes; }
  // Does it, and answers the call. An error: it is not answered yet.
  Result<void> carry_out(int listener, const seccomp_notif& call, Widener& widener) const;

 private:
  enum class Kind {
    kOpen,
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
  explicit Deed(Kind kind) : kind_(kind) {}
  static std::optional<Kind> kind_of(const seccomp_notif& call, Act act);
  bool take_open(const seccomp_notif& call);
  Result<sys::Fd> open(const seccomp_notif& call, Widener& widener) const;
  Result<int> change(const seccomp_notif& call, Widener& widener) const;

  Kind kind_;
  std::vector<Pinned> places_;
  std::uint64_t flags_ = 0;
  std::uint32_t mode_ = 0;
  std::int64_t size_ = 0;
  std::string text_;  // of a symbolic link
};

}  // namespace pinfold::backend::on_linux
