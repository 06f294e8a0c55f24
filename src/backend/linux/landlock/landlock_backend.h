// landlock_backend.h: the Linux backend for hosts that allow no namespaces: Landlock, seccomp, and a watchful parent.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

// `arguments`: see native.h.
std::unique_ptr<Backend> make_landlock_backend(std::span<char> arguments);

}  // namespace pinfold::backend::on_linux
