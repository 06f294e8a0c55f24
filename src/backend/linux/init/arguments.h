// arguments.h: a command's argv and environment as one block of memory that init can map.
#pragma once

#include "backend/backend.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

Result<sys::Fd> argument_block(const Launch& launch, const Environment* environment);

}  // namespace pinfold::backend::on_linux
