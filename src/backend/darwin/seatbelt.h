// seatbelt.h: the macOS backend: commands started through /usr/bin/sandbox-exec with a profile made from the plan.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/registry.h"

namespace pinfold::backend::darwin {

std::unique_ptr<Backend> make_seatbelt_backend();

}  // namespace pinfold::backend::darwin
