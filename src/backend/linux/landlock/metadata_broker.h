// metadata_broker.h: answers the calls for which Landlock has no rule: changes of modes, owners, times and attributes; writes to
// what is protected inside a writable directory; whatever reaches for another process.
// Invariant: a change of a file's attributes is made here, on what was pinned and judged, never let through; what is
// let through is only ever let through to Landlock's own judgement. Not here: protected names that do not exist yet
// (guard.cc).
#pragma once

#include <sys/types.h>

#include <string>

#include "backend/linux/notify/handler.h"
#include "backend/linux/landlock/access_table.h"

namespace pinfold::backend::on_linux {

class Warden final : public CallAnswerer {
 public:
  // `tree`: the first process, below which everything of the sandbox lives.
  Warden(Ground ground, pid_t tree) : ground_(std::move(ground)), tree_(tree) {}
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;
  // From now on nothing is changed at this path or below it.
  void protect(const std::string& path, const Origin& origin) { ground_.add(path, Standing::kProtected, origin); }

 private:
  // 0: let through. Otherwise the errno of the refusal.
  int judge_write(const seccomp_notif& call, SandboxEvents& events) const;
  int judge_process(const seccomp_notif& call) const;
  bool is_ours(pid_t process) const;
  bool is_ours_all(pid_t group) const;

  Ground ground_;
  pid_t tree_;
};

}  // namespace pinfold::backend::on_linux
