// values.h: the values that a flag or a command accepts, read from the table's text.
// Invariant: "none|full" in the table is also the list of completions; no value is listed twice.
// Not here: the table (flags.h), shells (completions_*.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"

namespace pinfold::cli {

// Several can hold: "any|none|CMD" is two words and every command.
struct Value {
  std::vector<std::string> words;
  bool files = false;
  bool directories = false;
  bool commands = false;
  bool variables = false;

  bool empty() const { return words.empty() && !files && !directories && !commands && !variables; }
};

// "PATH", "none|full", "DIR|FILE", "any|none|CMD"; other texts, such as "30s", have no completions.
Value value_of(std::string_view argument);
Value value_of(const Flag& flag);
// The values of the command's own words; those of `help` are the names of commands.
Value words_of(const CommandInfo& command);

// Every spelling of a flag: "--quiet", "-q".
std::vector<std::string> spellings(const Flag& flag);

// "run", "policy", "doctor"…: the first words of all commands; and the verbs of a noun.
struct Word {
  std::string word;
  std::string description;
};
std::vector<Word> first_words();
std::vector<Word> verbs(std::string_view noun);

}  // namespace pinfold::cli
