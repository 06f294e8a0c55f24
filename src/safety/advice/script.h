// script.h: a parsed command line: simple commands with their words, redirections and data flow.
// Invariant: values only; positions are byte offsets in the text, or in the word that contains a nested text.
// Not here: parsing (shell_reader.cc, powershell_reader.cc), judging (judge.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pinfold::advice {

// Commands of a script, by their index: [first, last).
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
  bool empty() const { return first >= last; }
};

struct Word {
  std::string text;  // as the program gets it; parts known only at run time stay as "$NAME" or "$()"
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool quoted = false;   // some part was
  bool unknown = false;  // some part is known only at run time
  bool glob = false;     // has a * ? or [ that the shell expands
  Range made_by;         // the commands inside it: $(…), `…`, <(…)
};

struct Redirect {
  enum class Kind : std::uint8_t { kRead, kWrite, kAppend, kBoth, kDuplicate, kText };
  Kind kind = Kind::kRead;
  Word target;  // of kText: the text itself
};

struct Assignment {
  std::string name;
  Word value;
};

struct Simple {
  std::vector<Assignment> assignments;
  std::vector<Word> words;
  std::vector<Redirect> redirects;
  Range fed_by;  // the commands whose output it reads
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool background = false;
  bool in_loop = false;
};

struct Function {
  std::string name;
  Range body;
};

struct Script {
  std::vector<Simple> commands;  // in the order of the text; those inside a word come before its command
  std::vector<Function> functions;
  bool endless = false;  // has a loop whose head never ends it: for ((;;))
  bool complete = true;  // false: the text is nested too deeply or too long
};

}  // namespace pinfold::advice
