// completions.h: a script for each shell that completes pinfold's command line, made from the flag table.
// Not here: the table (flags.h), the values of a word (values.h).
#pragma once

#include <string>

namespace pinfold::cli {

std::string bash_completions();
std::string zsh_completions();
std::string fish_completions();

}  // namespace pinfold::cli
