// program.h: which file a command's name means.
// Invariant: looked for in the sandbox's PATH alone, never in the working directory unasked, as Windows would.
#pragma once

#include <string>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::on_windows {

// A path of the core to a file that may be started (command_line.h).
Result<std::string> find_program(const std::string& command, const Plan& plan, const std::string& working_dir);

}  // namespace pinfold::backend::on_windows
