// creation_origin.h: decides whether the sandbox or a host process made a name that appeared in a directory. A trapped
// call that was allowed can make another name than the one that was read, if a second thread changes the memory in
// between. That thread cannot change the call's number, the time of the call, or the number of names that one call
// makes.
// Invariant: answers "the host" only if no allowed call can have made it, and "cannot tell" only if no thread or
// process that Pinfold knows of can have changed the names of the calls that can have made it. Not here: keeping or
// undoing the name (guard.cc).
#pragma once

#include <linux/seccomp.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/linux/notify/caller_path.h"
#include "backend/linux/notify/trapped_call.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

enum class Maker { kHost, kSandbox, kUndecided, kCannotTell };

class CreationOrigin {
 public:
  CreationOrigin();
  // Records a call that is about to continue in the kernel. `place`: of the only name, if it is resolved already.
  void record_allowed(const seccomp_notif& call, const std::vector<NewName>& names,
                      std::optional<CallerPath> place = std::nullopt);
  // Records a name that the supervisor made for a caller: its file explains no other call.
  void record_made(int directory, const std::string& name);
  // No guarded name has appeared up to now: calls that have ended by now made none.
  void mark_clean();
  // kSandbox: a call that was allowed since the last mark_clean() can have made this file. kCannotTell: likewise, but
  // each of these calls would have made another name. kUndecided (only kForRunningCalls): such calls still run, and may
  // yet make the file that they named.
  enum class Wait { kForRunningCalls, kNever };
  Maker maker_of(int directory, const std::string& name, Wait wait = Wait::kForRunningCalls);

 private:
  using File = std::pair<std::uint64_t, std::int64_t>;  // inode number and time of birth; 0, 0: none
  struct Call {
    std::uint32_t thread = 0;
    int number = 0;
    unsigned makes = 0;      // kinds of files, as bits
    std::int64_t began = 0;  // no earlier than this, by the clock that files get their times from
    std::int64_t ended = 0;  // no later than this; 0: not known
    sys::Fd parent;          // of the new name
    std::string name;
    std::uint64_t existing = 0;   // the inode number of a file that had the name before the call; 0: none
    bool keeps_its_name = false;  // `existing`, and no thread or process can change the name: it makes nothing
    File made{};                  // that it is known to have made
  };
  static void hold_name(const seccomp_notif& call, const NewName& name, std::optional<CallerPath> known, Call& made);
  // Notes which recent calls have ended, and which files they made. kAll: also opens of other threads.
  enum class Settle { kAll, kOwnThread };
  void settle_recent(std::uint32_t thread, Settle which);
  void settle(Call& call);
  // True if a call that moves files of this kind may have ended at this time or later: a file may have another name
  // than at its creation.
  bool moved_since(std::int64_t time, unsigned kind) const;
  // The file with the name that was read for this call, if the call can have made it.
  File can_explain(const Call& call) const;
  static bool can_make_at(const Call& call, std::int64_t born);
  // kHost: each call that can have made this file has made another one.
  Maker maker_by_calls(const struct statx& appeared, unsigned kind, Wait wait) const;
  static bool has_ended(const Call& call);

  std::vector<Call> calls_;
  std::int64_t known_since_;  // calls that had ended by this time are forgotten
  // The last end of a forgotten call that can move a directory, or another file.
  std::int64_t directory_moved_until_ = 0;
  std::int64_t file_moved_until_ = 0;
  bool overflowed_ = false;
};

}  // namespace pinfold::backend::on_linux
