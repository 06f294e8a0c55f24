// creation_origin.h: decides whether the sandbox or a host process made a name that appeared in a directory.
// A trapped call that was let through can make another name than the one that was read, if a second thread changes the
// memory in between. That thread cannot change the call's number, the time of the call, or the number of names that one
// call makes. Invariant: says "the host" only when no call that was let through can have made it.
// Not here: keeping or undoing the name (guard.cc).
#pragma once

#include <linux/seccomp.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "backend/linux/notify/trapped_call.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class Creations {
 public:
  Creations();
  // This call goes on to the kernel.
  void let_through(const seccomp_notif& call, const std::vector<NewName>& names);
  // Nothing guarded has appeared up to now: calls that have ended by now did not make one.
  void seen_clean();
  // True if a call that was let through since the last clean look, or one that still runs, can have made this file.
  bool may_have_made(int directory, const std::string& name) const;

 private:
  struct Call {
    std::uint32_t thread = 0;
    int number = 0;
    unsigned makes = 0;      // kinds of files, as bits
    std::int64_t began = 0;  // no earlier than this, by the clock that files get their times from
    std::int64_t ended = 0;  // no later than this; 0: not known
    sys::Fd parent;          // of a new directory
    std::string name;
  };
  // True if a rename may have ended at this time or later: a directory may have another name than it was made with.
  bool renamed_since(std::int64_t time) const;
  // The directory that has the name which the call was read to have, if this call can have made it; 0: none.
  std::uint64_t can_explain(const Call& call, const struct statx& appeared) const;
  static bool has_ended(const Call& call);

  std::vector<Call> calls_;
  std::int64_t known_since_;        // calls that had ended by then are forgotten
  std::int64_t renamed_until_ = 0;  // the last end of a forgotten call that can move a directory
  bool overflowed_ = false;
};

}  // namespace pinfold::backend::on_linux
