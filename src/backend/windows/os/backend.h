// backend.h: the backend for Windows: an app container, a restricted token and a job.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace pinfold::backend::on_windows {

// `journals`: a directory of the core for what is granted while a sandbox stands. `system`: directories that Windows
// opens to every container.
std::unique_ptr<Backend> make_appcontainer_backend(std::string journals, std::vector<std::string> system);

}  // namespace pinfold::backend::on_windows
