// parse.h: the words of the command line → a command, its flags in order, and the rest.
// Invariant: nothing is guessed; what follows "--" or the first plain word of `run` is passed on untouched.
// Not here: what flags mean (options.h), what they are (flags.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "pinfold/result.h"

namespace pinfold::cli {

struct Given {
  const Flag* flag = nullptr;
  std::string_view spelling;  // as typed: "--sandbox-profile"
  std::string_view value;     // empty for flags without one
};

struct Parsed {
  Command command = Command::kHelp;
  std::vector<Given> flags;
  std::vector<std::string> words;  // run: the command's argv; session exec: the session, then that; why: the thing
                                   // asked about; help: a command
  bool help = false;               // --help was given
};

// `arguments` without the program's name; views in the result point into them.
Result<Parsed> parse(const std::vector<std::string_view>& arguments);

// "; did you mean --read?" or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace pinfold::cli
