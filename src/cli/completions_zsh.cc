// completions_zsh.cc: the script that completes pinfold's command line in zsh.
// Invariant: all candidates come from the flag table. It works in a file _pinfold on fpath and when it is sourced.
// Not here: bash (completions.cc), the values of a word (values.h).
#include <fmt/format.h>

#include "cli/completions.h"
#include "cli/values.h"

namespace pinfold::cli {

namespace {

using std::string_view;

// Inside '…', where [ ] and : have a meaning of their own.
std::string quoted(string_view text, string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// A function that offers the candidates for a value, such as "any", "none" and every command.
std::string offers(string_view name, const Value& value) {
  std::string lines;
  if (!value.words.empty()) {
    std::string words;
    for (const std::string& one : value.words) words += (words.empty() ? "" : " ") + one;
    lines += fmt::format(" 'words:word:({})'", words);
  }
  if (value.files)
    lines += " 'files:file:_files'";
  else if (value.directories)
    lines += " 'directories:directory:_files -/'";
  if (value.commands) lines += " 'commands:command:_command_names -e'";
  if (value.variables) lines += " 'variables:variable:_parameters -g \"*export*\"'";
  return fmt::format("{}() {{\n  _alternative{}\n}}\n\n", name, lines);
}

std::string function_of(const Flag& flag) {
  string_view name = flag.name;
  while (name.starts_with('-')) name.remove_prefix(1);
  return fmt::format("_pinfold_value_{}", name);
}

std::string flag_specs(Command command) {
  std::string out;
  for (const Flag& flag : kFlags) {
    if ((flag.commands & in(command)) == 0) continue;
    const std::vector<std::string> names = spellings(flag);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
    for (const std::string& name : names) {
      const std::string repeat = flag.repeat == Repeat::kMany ? "*" : fmt::format("({})", all);
      const bool long_value = takes_value(flag) && name.starts_with("--");
      std::string spec =
          fmt::format("{}{}{}[{}]", repeat, name, long_value ? "=" : "", quoted(flag_help(flag, command), "[]:\\"));
      if (takes_value(flag))
        spec +=
            fmt::format(":{}:{}", quoted(flag.argument, ":\\"), value_of(flag).empty() ? " " : " " + function_of(flag));
      out += fmt::format("    '{}' \\\n", spec);
    }
  }
  return out;
}

std::string described(string_view name, const std::vector<Word>& words) {
  std::string out = fmt::format("{}() {{\n  local -a all=(\n", name);
  for (const Word& one : words) out += fmt::format("    '{}:{}'\n", one.word, quoted(one.description, ":\\"));
  return out + "  )\n  _describe 'command' all\n}\n\n";
}

std::string function_of(const CommandInfo& command) {
  std::string name(command.name);
  for (char& c : name)
    if (c == ' ' || c == '-') c = '_';
  return "_pinfold_of_" + name;
}

std::string command_function(const CommandInfo& command) {
  std::string out = fmt::format("{}() {{\n  _arguments -S \\\n{}", function_of(command), flag_specs(command.command));
  const bool runs = command.command == Command::kRun || command.command == Command::kLearn;
  if (runs)
    out += "    '(-)1:command: _command_names -e' \\\n    '*:: :_normal'\n";
  else if (command.command == Command::kSessionExec)
    out += "    '1:session: ' \\\n    '(-)2:command: _command_names -e' \\\n    '*:: :_normal'\n";
  else if (const Value value = words_of(command); !value.empty())
    out += fmt::format("    '*: : {}_words'\n", function_of(command));
  else
    out += "    && return\n";
  out += "}\n\n";
  if (const Value value = words_of(command); !runs && !value.empty())
    out += offers(function_of(command) + "_words", value);
  return out;
}

// The commands whose name begins with `prefix` and goes on with one word.
std::string choice(string_view prefix) {
  std::string out;
  for (const CommandInfo& command : kCommands) {
    if (!command.name.starts_with(prefix)) continue;
    const string_view word = command.name.substr(prefix.size());
    if (word.find(' ') == string_view::npos) out += fmt::format("    {}) {} ;;\n", word, function_of(command));
  }
  return out;
}

// One level: the word that chooses a command, then the function of that command.
std::string level(string_view name, string_view words, const std::string& choices) {
  return fmt::format(
      "{}() {{\n  local curcontext=$curcontext state line\n"
      "  _arguments -C '(- *)'{{-h,--help}}'[help]' '(- *)'{{-V,--version}}'[the version]' '1: :{}' '*:: :->rest'\n"
      "  [[ $state == rest ]] || return\n  case $line[1] in\n{}  esac\n}}\n\n",
      name, words, choices);
}

}  // namespace

std::string zsh_completions() {
  std::string out =
      "#compdef pinfold\n"
      "# _pinfold: completes pinfold's command line in zsh; made by `pinfold completions zsh`.\n"
      "#   source <(pinfold completions zsh)      after compinit; or save it as _pinfold in a directory of $fpath\n\n";
  for (const Flag& flag : kFlags)
    if (const Value value = value_of(flag); !value.empty()) out += offers(function_of(flag), value);
  out += described("_pinfold_commands", first_words());
  for (const Noun& noun : kNouns) out += described(fmt::format("_pinfold_{}_verbs", noun.word), verbs(noun.word));
  for (const CommandInfo& command : kCommands) out += command_function(command);
  std::string first = choice("");
  for (const Noun& noun : kNouns) {
    out += level(fmt::format("_pinfold_of_{}", noun.word), fmt::format("_pinfold_{}_verbs", noun.word),
                 choice(fmt::format("{} ", noun.word)));
    first += fmt::format("    {0}) _pinfold_of_{0} ;;\n", noun.word);
  }
  out += level("_pinfold", "_pinfold_commands", first);
  return out + "if [[ $funcstack[1] == _pinfold ]]; then _pinfold \"$@\"; else compdef _pinfold pinfold; fi\n";
}

}  // namespace pinfold::cli
