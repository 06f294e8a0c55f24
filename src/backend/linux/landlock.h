// landlock.h: what this kernel's Landlock can express, and the rights for each kind of view.
// Invariant: never grants more than the view; a kernel without Landlock, or with ABI 1 (no renames between
// directories), gives abi 0, which coverage reports. Not here: adding rules (child/setup.cc).
#pragma once

#include <cstdint>
#include <string>

#include "pinfold/plan.h"
#include "pinfold/result.h"

namespace pinfold::backend::on_linux {

struct LandlockSupport {
  int abi = 0;
  std::string why_absent;
};

// ENOSYS and EOPNOTSUPP mean absent; any other answer is a failure, because it is not an answer.
Result<LandlockSupport> probe_landlock();

std::uint64_t landlock_handled(int abi);
std::uint64_t landlock_rights(View view, EntryKind kind);
// The same for a path behind a mount of its own that is read-only and nodev where the view is. There truncating and
// device calls mean nothing, and granting them makes opens cheaper: the kernel looks for both rights at every open, and
// where they are missing walks on to the root.
std::uint64_t landlock_rights_behind_mounts(View view, EntryKind kind);
std::uint64_t landlock_device_rights();

}  // namespace pinfold::backend::on_linux
