// sandbox.h: starts a Linux sandbox, with the confinement of any backend.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/linux/confinement.h"

namespace pinfold::backend::on_linux {

// Sends init the request to confine itself and does not wait for the reply: init starts a command only after every
// mechanism that the coverage names is in force, and fails otherwise. `plan` must outlive the sandbox.
Result<std::unique_ptr<Sandbox>> start_sandbox(const Plan& plan, std::unique_ptr<Confinement> confinement);

}  // namespace pinfold::backend::on_linux
