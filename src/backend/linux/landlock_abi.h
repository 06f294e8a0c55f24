// landlock_abi.h: the Landlock ABI of this kernel, and the access rights for each kind of view.
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

// ENOSYS (not compiled in) and EOPNOTSUPP (not enabled at boot) mean absent; any other errno is an error.
Result<LandlockSupport> probe_landlock();

std::uint64_t landlock_handled(int abi);
std::uint64_t landlock_rights(View view, EntryKind kind);
// The same for a path on a mount of its own, which is read-only and nodev if the view is. The mount already refuses
// truncation and device calls there, so granting these two rights gives nothing away. It makes opens cheaper: the
// kernel checks both rights at every open, and walks up to the root while one is missing.
std::uint64_t landlock_rights_behind_mounts(View view, EntryKind kind);
std::uint64_t landlock_device_rights();

}  // namespace pinfold::backend::on_linux
