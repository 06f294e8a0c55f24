// registry.h: the backends of this build.
// Not here: choosing among them (cli, library).
#pragma once

#include <span>
#include <string>

#include "backend/registry.h"

namespace pinfold::app {

// Whether all child processes of this process are Pinfold's own, or some belong to a program that uses the library.
enum class Children { kOwn, kOfHost };

// `arguments`: see backend/linux/native/native.h; `program`: see backend/linux/bubblewrap/bubblewrap.h.
backend::Registry default_registry(std::span<char> arguments, std::string program, Children children);

}  // namespace pinfold::app
