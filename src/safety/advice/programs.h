// programs.h: known programs: the syntax of their options, and the arguments that they run.
// Invariant: data; options of an unknown program are parsed by the common rules. Not here: dangers (rules_*.cc).
#pragma once

#include <cstdint>
#include <string_view>

namespace pinfold::advice {

enum class Language : std::uint8_t {
  kNone,
  kPython,
  kPerl,
  kRuby,
  kPhp,
  kNode,
  kLua,
  kAwk,
  kSed,
  kVim,
  kDebugger,
  kOther
};

// How "-abc" is read: as letters, or as one name (find, java, openssl).
enum class Style : std::uint8_t { kLetters, kNames };

enum class ProgramKind : std::uint8_t {
  kPlain,
  kWrapper,      // runs the command at the end of its arguments
  kShell,        // -c TEXT, a script, or standard input
  kInterpreter,  // a script, or standard input
  kTalks,        // runs typed commands: editors, pagers, debuggers, clients
  kNames,        // only prints, compares or names its arguments
  kElsewhere,    // runs commands in a container or on another host
};

struct Program {
  std::string_view names;  // apart by blanks
  ProgramKind kind = ProgramKind::kPlain;
  std::string_view values = {};    // options that take a value
  std::string_view commands = {};  // options whose value is a command line
  std::string_view code = {};      // options whose value is code in `language`
  std::string_view starts = {};    // options that start a program or load a library and are used for little else
  Language language = Language::kNone;
  Style style = Style::kLetters;
  std::uint8_t before = 0;  // wrapper: the number of words before the command
  bool code_first = false;  // without a code option, the first word is code (awk, sed)
};

// By the last part of its path, without version: "/usr/bin/python3.11" is python. Null: not known.
const Program* find_program(std::string_view word);

bool is_shell(std::string_view word);  // "sh", "/bin/bash"

}  // namespace pinfold::advice
