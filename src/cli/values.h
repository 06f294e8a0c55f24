// values.h: what may stand where a flag or a command takes a word, read out of the table's own text.
// Invariant: "none|full" in the table is what completes; nothing is listed a second time.
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

  bool nothing() const { return words.empty() && !files && !directories && !commands && !variables; }
};

// "PATH", "none|full", "DIR|FILE", "any|none|CMD"; what it does not know, such as "30s", completes to nothing.
Value value_of(std::string_view argument);
Value value_of(const Flag& flag);
// Of the command's own words; `help` takes the names of commands.
Value words_of(const CommandInfo& command);

// Every spelling of a flag: "--quiet", "-q".
std::vector<std::string> spellings(const Flag& flag);

// "run", "policy", "doctor"…: the first words of all commands, and what follows a noun.
struct Word {
  std::string word;
  std::string says;
};
std::vector<Word> first_words();
std::vector<Word> verbs(std::string_view noun);

}  // namespace pinfold::cli
