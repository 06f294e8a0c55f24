// backend.h: the backend for Windows: an app container, a restricted token and a job.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace pinfold::backend::on_windows {

// `journals`: a path of the core, the directory for the journals of grants in force. `system`: directories that Windows
// opens to every container.
std::unique_ptr<Backend> make_appcontainer_backend(std::string journals, std::vector<std::string> system);

}  // namespace pinfold::backend::on_windows
