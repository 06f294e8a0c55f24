// native.h: the Linux backend that needs nothing but the kernel: namespaces, Landlock, seccomp.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace pinfold::backend::linux_native {

std::unique_ptr<Backend> make_native_backend();

}  // namespace pinfold::backend::linux_native
