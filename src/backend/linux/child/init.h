// init.h: the init process of a sandbox.
#pragma once

#include "backend/linux/child/blueprint.h"

namespace pinfold::backend::on_linux::child {

// Prepares, waits for the blueprint, confines itself, then serves the control socket until it closes. Never returns.
[[noreturn]] void run_init(const InitOptions& options, SharedBlock& shared) noexcept;

}  // namespace pinfold::backend::on_linux::child
