// rules.h: the rules: patterns, reasons, safer ways, and examples that run as tests.
// Invariant: every rule has at least one example that it matches and a similar one that it does not (rules_test.cc).
// Not here: the analysis of commands (judge.cc).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "safety/advice/advice.h"
#include "safety/advice/arguments.h"

namespace pinfold::advice {

// A pattern is a program ("rm|shred", "*" for any) and terms, all of which must hold:
//   word         the words of the command: the first term is the first of them, the others follow somewhere after it
//   -f|--force   one of the options is given          -o=text  an option is given with a value that contains text
//   @root|disk   a word, or the value of an option, is a path of such a kind (path_kind.h)
//   *text|other  an argument contains one of the texts; case is ignored
//   ^text|other  some word starts with one of them     =word|other  some word is one of them
//   >disk        the last word is such a path          <disk    another word is     #0  there are no words
//   !term        the term does not hold
// A rule without patterns is found by the judge itself.
struct Rule {
  std::string_view id;
  std::string_view category;
  AdviceVerdict verdict;
  std::string_view patterns;  // one a line
  std::string_view reason;
  std::string_view safer;
  std::string_view caught;  // examples, one a line
  std::string_view passed;
};

// A command as rules see it.
struct Call {
  std::string_view program;  // "rm", without its path; for Windows lower-case, without ".exe"
  const Arguments& arguments;
  std::span<const Word> words;  // all of them, the program's name first
  std::string_view directory;   // where the text went before, or empty
  Dialect dialect;
};

// Every rule of the dialect that holds.
std::vector<const Rule*> matching(const Call& call);

const Rule& rule_named(std::string_view id);

// All tables.
std::span<const std::span<const Rule>> rule_tables(Dialect dialect);

extern const std::span<const Rule> kFileRules;
extern const std::span<const Rule> kSystemRules;
extern const std::span<const Rule> kAccessRules;
extern const std::span<const Rule> kNetworkRules;
extern const std::span<const Rule> kProjectRules;
extern const std::span<const Rule> kFoundRules;  // without patterns
extern const std::span<const Rule> kWindowsRules;

}  // namespace pinfold::advice
