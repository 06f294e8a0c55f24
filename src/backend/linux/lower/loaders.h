// loaders.h: the dynamic loaders of this host.
#pragma once

#include "backend/linux/lower/lower.h"

namespace pinfold::backend::on_linux {

// Landlock must let the kernel open the dynamic loader on behalf of an allowed program. A loader that does not exist is
// left out; one that stat() cannot reach is an error, since without it no program starts.
Result<void> allow_loaders(LoweredPlan& out);

}  // namespace pinfold::backend::on_linux
