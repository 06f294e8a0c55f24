// parse.cc: reads the command line by the flag table.
// Invariant: linear in the number of words; every error names the word and the fix.
// Not here: contradictory flags (options.cc).
#include "cli/parse.h"

#include <fmt/format.h>

#include "base/edit_distance.h"
#include "base/text.h"
#include "base/try.h"

namespace pinfold::cli {

namespace {

using text::shown;

std::string help_hint(Command command) { return fmt::format("see: pinfold help {}", info(command).name); }

std::vector<std::string_view> flag_names(Command command) {
  std::vector<std::string_view> names;
  for (const Flag& flag : kFlags) {
    if ((flag.commands & in(command)) == 0) continue;
    names.push_back(flag.name);
    for (const std::string_view alias : flag.aliases)
      if (!alias.empty()) names.push_back(alias);
  }
  return names;
}

// "-c", "--read", "--read=x"; a lone "-" is a plain word.
bool looks_like_flag(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

struct Cursor {
  const std::vector<std::string_view>& words;
  std::size_t at = 0;
  bool done() const { return at >= words.size(); }
};

Result<void> read_flag(Cursor& cursor, CommandLine& parsed) {
  const std::string_view word = cursor.words[cursor.at++];
  const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
  const std::string_view name = word.substr(0, equals);
  const Flag* flag = find_flag(name);
  if (flag == nullptr)
    return fail(ErrorKind::kInvalid,
                fmt::format("unknown flag {}{}", shown(name), did_you_mean(name, flag_names(parsed.command))),
                help_hint(parsed.command));
  if ((flag->commands & in(parsed.command)) == 0)
    return fail(ErrorKind::kInvalid, fmt::format("{} does not belong to `pinfold {}`", name, info(parsed.command).name),
                help_hint(parsed.command));
  FlagValue flag_value{flag, name, {}};
  if (!takes_value(*flag)) {
    if (equals != std::string_view::npos)
      return fail(ErrorKind::kInvalid,
                  fmt::format("{} takes no value, but got '{}'", name, shown(word.substr(equals + 1))));
  } else if (equals != std::string_view::npos) {
    flag_value.value = word.substr(equals + 1);
  } else {
    // A missing value must not consume the next flag; the text of -c may begin with anything.
    const bool any_text = flag->id == Id::kCommandText || flag->id == Id::kOld || flag->id == Id::kNew;
    const bool missing = cursor.done() || (!any_text && cursor.words[cursor.at].starts_with("--"));
    if (missing)
      return fail(
          ErrorKind::kInvalid, fmt::format("{} needs a value", name),
          any_text ? fmt::format("{} 'TEXT'", name)
                   : fmt::format("{} {}; a value that begins with -- is written {}=VALUE", name, flag->argument, name));
    flag_value.value = cursor.words[cursor.at++];
  }
  if (flag->id == Id::kHelp) parsed.help = true;
  if (flag->repeat == Repeat::kOnce) {
    for (const FlagValue& earlier : parsed.flags) {
      if (earlier.flag != flag || earlier.value == flag_value.value) continue;
      return fail(ErrorKind::kInvalid,
                  fmt::format("{} {} contradicts {} {}", flag_value.spelling, shown(flag_value.value), earlier.spelling,
                              shown(earlier.value)),
                  "give it once");
    }
  }
  parsed.flags.push_back(flag_value);
  return {};
}

// "run", "policy", "doctor"…
std::vector<std::string_view> first_words() {
  std::vector<std::string_view> out;
  for (const CommandInfo& one : kCommands) {
    const std::string_view word = one.name.substr(0, one.name.find(' '));
    if (out.empty() || out.back() != word) out.push_back(word);
  }
  return out;
}

Result<Command> read_verb(Cursor& cursor, const Noun& noun) {
  std::vector<std::string_view> verbs;
  std::vector<Command> commands;
  for (const CommandInfo& one : kCommands) {
    if (verb_of(one, noun.word).empty()) continue;
    verbs.push_back(verb_of(one, noun.word));
    commands.push_back(one.command);
  }
  std::string fix = fmt::format("pinfold {} ", noun.word);
  for (std::size_t i = 0; i < verbs.size(); ++i)
    fix += fmt::format("{}{}", i == 0 ? "" : i + 1 == verbs.size() ? " or " : ", ", verbs[i]);
  if (cursor.done() || looks_like_flag(cursor.words[cursor.at])) {
    if (!cursor.done() && (cursor.words[cursor.at] == "--help" || cursor.words[cursor.at] == "-h")) return commands[0];
    return fail(ErrorKind::kInvalid, fmt::format("`pinfold {}` needs a verb", noun.word), fix);
  }
  const std::string_view verb = cursor.words[cursor.at++];
  for (std::size_t i = 0; i < verbs.size(); ++i)
    if (verbs[i] == verb) return commands[i];
  return fail(ErrorKind::kInvalid,
              fmt::format("unknown command {} {}{}", noun.word, shown(verb), did_you_mean(verb, verbs)), fix);
}

Result<Command> read_command(Cursor& cursor) {
  const std::string_view word = cursor.words[cursor.at++];
  for (const Noun& noun : kNouns)
    if (word == noun.word) return read_verb(cursor, noun);
  for (const CommandInfo& one : kCommands)
    if (one.name == word) return one.command;
  const std::string hint = did_you_mean(word, first_words());
  return fail(ErrorKind::kInvalid, fmt::format("unknown command {}{}", shown(word), hint),
              hint.empty() && !looks_like_flag(word)
                  ? fmt::format("to run it: pinfold run -- {}", text::shell_word(word))
                  : "see: pinfold help");
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto near = closest_word(word, candidates);
  return near ? fmt::format("; did you mean {}?", *near) : std::string();
}

Result<CommandLine> parse(const std::vector<std::string_view>& arguments) {
  CommandLine parsed;
  Cursor cursor{arguments};
  if (cursor.done()) return parsed;
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    parsed.help = true;
    return parsed;
  }
  if (arguments[0] == "--version" || arguments[0] == "-V") {
    parsed.command = Command::kVersion;
    return parsed;
  }
  PF_TRY(command, read_command(cursor));
  parsed.command = command;
  // `pinfold plugin --help`: read_command() consumed only the noun, although each command of a noun has two words.
  if (cursor.at == 1 && info(command).name.find(' ') != std::string_view::npos) parsed.group = arguments[0];
  while (!cursor.done()) {
    const std::string_view word = arguments[cursor.at];
    if (word == "--") {
      parsed.words.insert(parsed.words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(cursor.at) + 1,
                          arguments.end());
      break;
    }
    if (looks_like_flag(word)) {
      PF_CHECK(read_flag(cursor, parsed));
      continue;
    }
    if (command == Command::kRun || command == Command::kLearn ||
        (command == Command::kSessionExec && !parsed.words.empty())) {
      // `pinfold run ls -l`: from the first plain word on, everything belongs to the command; with `session exec`, from
      // the second.
      parsed.words.insert(parsed.words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(cursor.at),
                          arguments.end());
      break;
    }
    parsed.words.emplace_back(word);
    ++cursor.at;
  }
  return parsed;
}

}  // namespace pinfold::cli
