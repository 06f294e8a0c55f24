// completions_fish.cc: the script that completes pinfold's command line in fish.
// Invariant: all candidates come from the flag table; fish completes the words of the command to run as without
// pinfold. Not here: bash (completions.cc), the values of a word (values.h).
#include <fmt/format.h>

#include "cli/completions.h"
#include "cli/values.h"

namespace pinfold::cli {

namespace {

using std::string_view;

std::string quoted(string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

constexpr string_view kHead =
    R"fish(# pinfold.fish: completes pinfold's command line in fish; made by `pinfold completions fish`.
#   pinfold completions fish | source

# Where the cursor is: "command" (none yet), a noun, the command's name, or "rest N": N words belong to pinfold.
function __pinfold_place
    set -l words (commandline -opc)
    set -l command
    set -l expects no
    for at in (seq 2 (count $words))
        set -l word $words[$at]
        if test $expects = yes
            set expects no
        else if test -z "$command"
            set command $word
        else if contains -- "$command" policy session
            set command "$command $word"
        else if test "$word" = --
            if contains -- "$command" run learn 'session exec'
                echo rest $at
                return
            end
        else if string match -q -- '-*' $word
            if contains -- $word $__pinfold_takes_value
                set expects yes
            end
        else if contains -- "$command" run learn
            echo rest (math $at - 1)
            return
        end
    end
    test -n "$command"; and echo $command; or echo command
end

function __pinfold_at
    test (__pinfold_place) = "$argv"
end

function __pinfold_in_rest
    string match -q 'rest *' (__pinfold_place)
end

# The command to run: completed as without pinfold.
function __pinfold_rest
    set -l words (commandline -opc)
    set -l own (string replace 'rest ' '' (__pinfold_place))
    string match -qr '^[0-9]+$' -- "$own"; or set own (count $words)
    set -l text
    if test $own -lt (count $words)
        set text (string escape -- $words[(math $own + 1)..-1])
    end
    set -a text "$(commandline -ct)"
    complete --do-complete="$(string join ' ' -- $text)"
end

)fish";

// The candidates for a value: words, and files if it can be one.
std::string candidates(const Value& value) {
  std::vector<std::string> words = value.words;
  if (value.directories && !value.files) words.emplace_back("(__fish_complete_directories)");
  if (value.commands) words.emplace_back("(__fish_complete_command)");
  if (value.variables) words.emplace_back("(set -nx)");
  std::string all;
  for (const std::string& one : words) all += (all.empty() ? "" : " ") + one;
  return (value.files ? " -F" : " -f") + (all.empty() ? std::string() : " -a " + quoted(all));
}

std::string flag_lines(const CommandInfo& command) {
  std::string out;
  for (const Flag& flag : kFlags) {
    if ((flag.commands & in(command.command)) == 0) continue;
    std::string line = fmt::format("complete -c pinfold -n '__pinfold_at {}'", command.name);
    for (const std::string& name : spellings(flag))
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (takes_value(flag)) line += " -r" + candidates(value_of(flag));
    out += line + " -d " + quoted(flag_help(flag, command.command)) + "\n";
  }
  return out;
}

std::string word_lines(string_view place, const std::vector<Word>& words) {
  std::string out;
  for (const Word& one : words)
    out +=
        fmt::format("complete -c pinfold -n '__pinfold_at {}' -a {} -d {}\n", place, one.word, quoted(one.description));
  return out;
}

}  // namespace

std::string fish_completions() {
  std::string takes = "set -g __pinfold_takes_value";
  for (const Flag& flag : kFlags)
    if (takes_value(flag))
      for (const std::string& name : spellings(flag)) takes += " " + name;
  std::string out = std::string(kHead) + takes + "\n\ncomplete -c pinfold -e\ncomplete -c pinfold -f\n";
  out += "complete -c pinfold -n '__pinfold_at command' -s h -l help -d 'help'\n";
  out += "complete -c pinfold -n '__pinfold_at command' -s V -l version -d 'the version'\n";
  out += word_lines("command", first_words());
  for (const Noun& noun : kNouns) out += word_lines(noun.word, verbs(noun.word));
  out += "complete -c pinfold -n '__pinfold_in_rest' -a '(__pinfold_rest)'\n";
  for (const CommandInfo& command : kCommands) {
    out += flag_lines(command);
    if (command.command == Command::kRun || command.command == Command::kLearn)
      out += fmt::format("complete -c pinfold -n '__pinfold_at {}' -a '(__pinfold_rest)'\n", command.name);
    else if (const Value value = words_of(command); !value.empty())
      out += fmt::format("complete -c pinfold -n '__pinfold_at {}'{}\n", command.name, candidates(value));
  }
  return out;
}

}  // namespace pinfold::cli
