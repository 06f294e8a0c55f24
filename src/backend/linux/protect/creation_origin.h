// creation_origin.h: decides whether the sandbox or a host process made a name that appeared in a directory. A trapped
// call that was allowed can make another name than the one that was read, if a second thread changes the memory in
// between. That thread cannot change the call's number, the time of the call, or the number of names that one call
// makes.
// Invariant: answers "the host" only if no allowed call can have made it.
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

enum class Maker { kHost, kSandbox, kUndecided };

class CreationOrigin {
 public:
  CreationOrigin();
  // Records a call that may continue in the kernel.
  void record_allowed(const seccomp_notif& call, const std::vector<NewName>& names);
  // No guarded name has appeared up to now: calls that have ended by now made none.
  void mark_clean();
  // kSandbox: a call that was allowed since the last mark_clean() can have made this file. kUndecided: the only such
  // calls are mkdir calls that still run and have not made a directory yet.
  Maker maker_of(int directory, const std::string& name) const;

 private:
  struct Call {
    std::uint32_t thread = 0;
    int number = 0;
    unsigned makes = 0;      // kinds of files, as bits
    std::int64_t began = 0;  // no earlier than this, by the clock that files get their times from
    std::int64_t ended = 0;  // no later than this; 0: not known
    sys::Fd parent;          // of a new directory
    std::string name;
    std::uint64_t made = 0;  // the inode number of the directory that it is known to have made; 0: not known
    std::int64_t born = 0;   // the time of birth of that directory
  };
  // Notes which recent calls have ended, and which directories they made.
  void settle_recent();
  // True if a rename may have ended at this time or later: a directory may have another name than at its creation.
  bool renamed_since(std::int64_t time) const;
  // The inode number of the directory with the name that was read for this call, if the call can have made it; else 0.
  std::uint64_t can_explain(const Call& call, std::int64_t& born) const;
  static bool can_make_at(const Call& call, std::int64_t born);
  // kHost: each mkdir that can have made this directory has made another one.
  Maker mkdir_maker(const struct statx& appeared) const;
  static bool has_ended(const Call& call);

  std::vector<Call> calls_;
  std::int64_t known_since_;        // calls that had ended by this time are forgotten
  std::int64_t renamed_until_ = 0;  // the last end of a forgotten call that can move a directory
  bool overflowed_ = false;
};

}  // namespace pinfold::backend::on_linux
