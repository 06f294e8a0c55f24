// init.h: PID 1 of a sandbox.
#pragma once

#include "backend/linux/child/blueprint.h"

namespace pinfold::backend::on_linux::child {

// Begins, waits for the blueprint, raises the walls, then serves the control socket until it closes. Never returns.
[[noreturn]] void pid_one(const Beginning& beginning, Shared& shared) noexcept;

}  // namespace pinfold::backend::on_linux::child
