// setup.h: raises every wall, between clone and the first command.
// Not here: running commands (init.cc).
#pragma once

#include "backend/linux/child/blueprint.h"
#include "backend/linux/child/wire.h"

namespace pinfold::backend::linux_native::child {

// On success `landlock_abi` is the ABI in force, 0 for none. On failure nothing of the user's has run.
bool raise_walls(const Blueprint& blueprint, Failure& failure, int& landlock_abi) noexcept;

}  // namespace pinfold::backend::linux_native::child
