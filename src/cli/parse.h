// parse.h: the words of the command line → a command, its flags in order, and the rest.
// Invariant: nothing is guessed; words after "--" or from the first plain word of `run` on are passed on unchanged.
// Not here: the meaning of flags (options.h), their table (flags.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "pinfold/result.h"

namespace pinfold::cli {

struct FlagValue {
  const Flag* flag = nullptr;
  std::string_view spelling;  // as typed: "--sandbox-profile"
  std::string_view value;     // empty for flags without one
};

struct CommandLine {
  Command command = Command::kHelp;
  std::vector<FlagValue> flags;
  std::vector<std::string> words;  // run: the command's argv; session exec: the session, then argv; why: the
                                   // subjects; help: a command
  bool help = false;               // --help was given
  std::string_view group;          // "plugin" of `pinfold plugin --help`, or empty
};

// `arguments` without the program's name; views in the result point into them.
Result<CommandLine> parse(const std::vector<std::string_view>& arguments);

// "; did you mean --read?" or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace pinfold::cli
