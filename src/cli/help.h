// help.h: help text, made from the flag table; the examples and titles that the manual page shows, too.
// Not here: the table itself (flags.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/flags.h"

namespace pinfold::cli {

struct Example {
  Command command;
  std::string_view line;
  std::string_view says;
};

std::span<const Example> examples();
std::string_view title(Group group);
std::string spelling(const Flag& flag);  // "--quiet, -q", "--read PATH"

std::string overview();
std::string help(Command command);
std::string version();

}  // namespace pinfold::cli
