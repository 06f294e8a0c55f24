// notify.h: one trapped system call: which name it would create, read from the caller's memory.
// Invariant: what is read here is a hint, good for refusing and reporting, never for allowing.
// Not here: deciding (guard.cc).
#pragma once

#include <linux/seccomp.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "sys/fd.h"

namespace pinfold::backend::on_linux {

struct NewName {
  std::string directory;  // as the sandbox sees it, not yet resolved
  std::string name;       // last component
};

// The names that the call may create: one, or two for an exchange. Empty when the memory cannot be read or the last
// component is "." or "..".
std::vector<NewName> names_created(const seccomp_notif& call);

// Opens the directory as the calling process would see it.
sys::Fd open_in_sandbox(std::uint32_t pid, const std::string& directory);

enum class Answer { kContinue, kRefuse };
void answer_call(int listener, const seccomp_notif& call, Answer answer);

}  // namespace pinfold::backend::on_linux
