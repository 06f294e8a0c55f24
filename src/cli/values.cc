// values.cc: the values that a flag or a command accepts.
// Invariant: read only from the table's text: a name in capitals is a kind of value, in small letters a word.
// Not here: the table (flags.h), shells (completions_*.cc).
#include "cli/values.h"

#include <algorithm>

#include "pinfold/policy.h"

namespace pinfold::cli {

namespace {

using std::string_view;

bool is_plain_word(string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

// "[DIR|FILE]" → "DIR|FILE", "FILE…" → "FILE".
string_view bare(string_view token) {
  if (token.starts_with('[')) token.remove_prefix(1);
  for (const string_view end : {string_view("…"), string_view("]"), string_view("…")})
    if (token.ends_with(end)) token.remove_suffix(end.size());
  return token;
}

// The first word of the usage that is neither the command's name nor a flag: "init [DIR]" → "DIR".
string_view argument_of(const CommandInfo& command) {
  string_view rest = command.usage.substr(command.name.size());
  rest = rest.substr(0, rest.find('\n'));
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    const string_view token = bare(rest.substr(0, blank));
    if (!token.empty() && !token.starts_with('-') && token != "flags") return token;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return {};
}

}  // namespace

Value value_of(string_view argument) {
  Value out;
  while (!argument.empty()) {
    const std::size_t bar = std::min(argument.find('|'), argument.size());
    const string_view one = argument.substr(0, bar);
    if (one == "PATH" || one == "FILE" || one == "PATH-or-GLOB")
      out.files = true;
    else if (one == "DIR")
      out.directories = true;
    else if (one == "CMD" || one == "COMMAND" || one == "SH")
      out.commands = true;
    else if (one == "VARIABLE" || one == "NAME[=VALUE]")
      out.variables = true;
    else if (is_plain_word(one))
      out.words.emplace_back(one);
    argument.remove_prefix(std::min(bar + 1, argument.size()));
  }
  return out;
}

Value value_of(const Flag& flag) {
  if (flag.id != Id::kProfile) return value_of(flag.argument);
  Value out;
  for (const string_view name : preset_names()) out.words.emplace_back(name);
  return out;
}

Value words_of(const CommandInfo& command) {
  if (command.command != Command::kHelp) return value_of(argument_of(command));
  Value out;
  for (const Word& one : first_words()) out.words.push_back(one.word);
  return out;
}

std::vector<std::string> spellings(const Flag& flag) {
  std::vector<std::string> out = {std::string(flag.name)};
  for (const string_view alias : flag.aliases)
    if (!alias.empty()) out.emplace_back(alias);
  return out;
}

std::vector<Word> first_words() {
  std::vector<Word> out;
  for (const CommandInfo& one : kCommands) {
    Word word{std::string(one.name), std::string(one.summary)};
    for (const Noun& noun : kNouns)
      if (!verb_of(one, noun.word).empty()) word = {std::string(noun.word), std::string(noun.summary)};
    if (out.empty() || out.back().word != word.word) out.push_back(std::move(word));
  }
  return out;
}

std::vector<Word> verbs(string_view noun) {
  std::vector<Word> out;
  for (const CommandInfo& one : kCommands)
    if (const string_view verb = verb_of(one, noun); !verb.empty())
      out.push_back({std::string(verb), std::string(one.summary)});
  return out;
}

}  // namespace pinfold::cli
