// landlock_backend.h: the Linux backend for hosts that allow no namespaces: Landlock, seccomp, and a watchful parent.
#pragma once

#include <memory>
#include <span>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

// Where the sandbox's processes go if another process kills the first one. kAdopted: they become children of this
// process, which ends them; every process below this one must be Pinfold's. kLeft: to a subreaper above, or PID 1.
enum class Orphans { kAdopted, kLeft };

// `arguments`: see native.h.
std::unique_ptr<Backend> make_landlock_backend(std::span<char> arguments, Orphans orphans);

}  // namespace pinfold::backend::on_linux
