// metadata_broker.h: answers the calls for which Landlock has no rule: changes of modes, owners, times and attributes;
// writes to protected paths inside a writable directory; calls on other processes.
// Invariant: performs attribute changes itself, on the pinned and checked file; every call that it allows to continue
// is still subject to Landlock.
// Not here: protected names that do not exist yet (guard.cc).
#pragma once

#include <sys/types.h>

#include <string>

#include "backend/linux/landlock/access_table.h"
#include "backend/linux/notify/handler.h"

namespace pinfold::backend::on_linux {

class MetadataBroker final : public CallHandler {
 public:
  // `tree`: init, whose descendants are the sandbox's processes.
  MetadataBroker(AccessTable access, pid_t tree) : table_(std::move(access)), tree_(tree) {}
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;
  // From now on calls at this path or below it are refused.
  void protect(const std::string& path, const Origin& origin) { table_.add(path, PathAccess::kProtected, origin); }

 private:
  // 0: the call may continue. Otherwise the errno of the refusal.
  int check_write(const seccomp_notif& call, SandboxEvents& events) const;
  int check_process(const seccomp_notif& call) const;
  bool is_inside(pid_t process) const;
  bool is_group_inside(pid_t group) const;

  AccessTable table_;
  pid_t tree_;
};

}  // namespace pinfold::backend::on_linux
