// landlock_backend.h: the Linux backend for hosts that allow no namespaces: Landlock, seccomp, and a supervised tree.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

// The new parent of the sandbox's processes if another process kills init. kAdopted: they become children of this
// process, which ends them; every process below this one must be Pinfold's. kLeft: a subreaper above, or PID 1.
enum class Orphans { kAdopted, kLeft };

// `arguments`: see native.h.
std::unique_ptr<Backend> make_landlock_backend(std::span<char> arguments, Orphans orphans);

}  // namespace pinfold::backend::on_linux
