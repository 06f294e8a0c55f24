// passthrough.h: no sandbox at all, for --no-sandbox only; says so in every row of its coverage.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace pinfold::backend {

std::unique_ptr<Backend> make_passthrough_backend();

}  // namespace pinfold::backend
