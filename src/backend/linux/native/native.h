// native.h: the Linux backend that needs only the kernel: namespaces, Landlock, seccomp.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

// `arguments` is the memory of this program's own argv: it is wiped in the copy that becomes init.
std::unique_ptr<Backend> make_native_backend(std::span<char> arguments);

}  // namespace pinfold::backend::on_linux
