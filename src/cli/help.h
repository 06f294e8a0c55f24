// help.h: help text, made from the flag table; and the examples and titles, which the manual page shows too.
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
  std::string_view description;
};

std::span<const Example> examples();
std::string_view title(Group group);
std::string spelling(const Flag& flag);  // "--quiet, -q", "--read PATH"

std::string overview();
std::string help(Command command);
std::string group_help(const Noun& noun);  // the commands of `pinfold plugin`, one line each
std::string version();

}  // namespace pinfold::cli
