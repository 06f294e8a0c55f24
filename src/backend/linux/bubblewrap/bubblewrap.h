// bubblewrap.h: the Linux backend whose namespaces and mounts are made by the system's bubblewrap.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace pinfold::backend::on_linux {

// `program` is this program, which becomes the first process inside: a path, or empty where there is none.
std::unique_ptr<Backend> make_bubblewrap_backend(std::string program);

}  // namespace pinfold::backend::on_linux
