// loaders.h: the dynamic loaders of this host.
#pragma once

#include "backend/linux/lower/lower.h"

namespace pinfold::backend::on_linux {

// Landlock must let the kernel open the dynamic loader on behalf of an allowed program.
void allow_loaders(Lowered& out);

}  // namespace pinfold::backend::on_linux
