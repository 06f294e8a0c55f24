// native.h: the Linux backend that needs nothing but the kernel: namespaces, Landlock, seccomp.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

// `arguments` is the memory of this program's own argv: it is wiped in the copy of it that becomes PID 1.
std::unique_ptr<Backend> make_native_backend(std::span<char> arguments);

}  // namespace pinfold::backend::on_linux
