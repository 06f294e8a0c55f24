// sandbox.h: a sandbox on Linux, whatever its walls are made of.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/linux/confinement.h"

namespace pinfold::backend::on_linux {

// Asks the first process to raise the walls and does not wait for them: it takes a command only once every wall is up,
// exactly as the coverage says, and fails otherwise. `plan` must outlive the sandbox.
Result<std::unique_ptr<Sandbox>> raise_sandbox(const Plan& plan, std::unique_ptr<Walls> walls);

}  // namespace pinfold::backend::on_linux
