// own_directories.h: makes Pinfold's own directories before a run whose command would see them.
// Invariant: one that Pinfold does not use in this environment is removed after the run, unless it is in use then.
// Not here: which directories (policy/own_directories.h, plan/missing_own.h).
#pragma once

#include <memory>
#include <vector>

#include "pinfold/result.h"
#include "policy/own_directories.h"
#include "sys/mask_directory.h"

namespace pinfold::settings {

// Keep the result until the run has ended: its destructor removes the temporary ones.
Result<std::shared_ptr<sys::MaskDirectories>> make_own_directories(const std::vector<policy::OwnDirectory>& missing);

}  // namespace pinfold::settings
