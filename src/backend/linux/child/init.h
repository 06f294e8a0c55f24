// init.h: PID 1 of a sandbox.
#pragma once

#include "backend/linux/child/blueprint.h"

namespace pinfold::backend::linux_native::child {

// Raises the walls, then serves the control socket until it closes. Never returns to the caller's code.
[[noreturn]] void pid_one(const Blueprint& blueprint, const CommandFrame& frame) noexcept;

}  // namespace pinfold::backend::linux_native::child
