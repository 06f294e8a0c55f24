// passthrough.h: runs without a sandbox, for --no-sandbox only; every row of its coverage says so.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace pinfold::backend {

std::unique_ptr<Backend> make_passthrough_backend();

}  // namespace pinfold::backend
