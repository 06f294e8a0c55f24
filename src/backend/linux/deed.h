// deed.h: one operation that a program in the sandbox waits for, done for it on the host by us.
// Invariant: done on what was pinned when somebody was asked, below that directory, following no link; what has changed
// since is refused. What the program's memory says is read once. Not here: asking (questions.h), showing more
// (widener.h).
#pragma once

#include <linux/seccomp.h>

#include <optional>
#include <string>
#include <vector>

#include "backend/linux/attempt.h"
#include "backend/linux/widener.h"
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
};
Result<Pinned> pin(const std::string& path);

class Deed {
 public:
  // `on_host`: where the names of the attempts lie on the host, one for each. Nothing: this is not among the operations
  // that can be done for somebody.
  static std::optional<Deed> of(const seccomp_notif& call, const Attempts& attempts,
                                const std::vector<std::string>& on_host);

  // A name comes to another file, or goes.
  bool changes_names() const { return kind_ != Kind::kOpen && kind_ != Kind::kMakeDirectory; }
  // Does it, and answers the call. An error: it is not answered yet.
  Result<void> carry_out(int listener, const seccomp_notif& call, Widener& widener) const;

 private:
  enum class Kind { kOpen, kMakeDirectory, kDelete, kRemoveDirectory, kRename };
  explicit Deed(Kind kind) : kind_(kind) {}
  bool take_open(const seccomp_notif& call);
  Result<sys::Fd> open(const seccomp_notif& call, Widener& widener) const;
  Result<FileIdentity> create(const seccomp_notif& call) const;
  Result<int> change(const seccomp_notif& call) const;

  Kind kind_;
  std::vector<Pinned> places_;
  std::uint64_t flags_ = 0;
  std::uint32_t mode_ = 0;
};

}  // namespace pinfold::backend::on_linux
