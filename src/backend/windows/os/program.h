// program.h: the program file for a command's name.
// Invariant: searches only the sandbox's PATH; unlike Windows, not the working directory.
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::on_windows {

// A path of the core to a file that may be started (command_line.h).
Result<std::string> find_program(const std::string& command, const Plan& plan, const std::string& working_dir);

}  // namespace pinfold::backend::on_windows
