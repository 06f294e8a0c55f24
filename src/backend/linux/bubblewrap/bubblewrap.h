// bubblewrap.h: the Linux backend whose namespaces and mounts the system's bubblewrap makes.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

// `program`: path of this program, which becomes init inside; empty if there is none.
std::unique_ptr<Backend> make_bubblewrap_backend(std::string program);

}  // namespace pinfold::backend::on_linux
