// help.h: help text, made from the flag table.
// Not here: the table itself (flags.h).
#pragma once

#include <string>

#include "cli/flags.h"

namespace pinfold::cli {

std::string overview();
std::string help(Command command);
std::string version();

}  // namespace pinfold::cli
