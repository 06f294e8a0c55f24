// completions.cc: `pinfold completions SHELL`, and the script for bash.
// Invariant: all candidates come from the flag table; the script needs nothing but bash itself; the words of the
// command to run are completed as without pinfold.
// Not here: zsh and fish (completions_zsh.cc, completions_fish.cc), the values of a word (values.h).
#include "cli/completions.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/process_io.h"
#include "cli/values.h"

namespace pinfold::cli {

namespace {

constexpr std::string_view kBashHead =
    R"bash(# pinfold.bash: completes pinfold's command line in bash; made by `pinfold completions bash`.
#   source <(pinfold completions bash)

# Adds what begins with $cur: w words, f files, d directories, c commands, v variables.
_pinfold_offer() { # kinds [words]
  local kind line actions=()
  for ((kind = 0; kind < ${#1}; kind++)); do
    case ${1:kind:1} in
      w) actions=(-W "$2") ;;
      f) actions=(-f) ;;
      d) actions=(-d) ;;
      c) actions=(-c) ;;
      v) actions=(-e) ;;
    esac
    if [[ ${1:kind:1} == [fd] || $cur == */* ]]; then compopt -o filenames 2>/dev/null; fi
    while IFS= read -r line; do COMPREPLY+=("$prefix$line"); done < <(compgen "${actions[@]}" -- "$cur" | sort -u)
  done
}

# The command to run: completed as without pinfold.
_pinfold_rest() { # index of its first word
  local function
  for function in _comp_command_offset _command_offset; do # bash-completion's, where it is loaded
    if declare -F "$function" >/dev/null; then
      "$function" "$1"
      return
    fi
  done
  if (($1 == COMP_CWORD)) && [[ $cur != */* ]]; then _pinfold_offer c; else _pinfold_offer f; fi
}

)bash";

constexpr std::string_view kBashBody = R"bash(
_pinfold() {
  local cur=${COMP_WORDS[COMP_CWORD]} prefix='' command='' expects='' word at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=${COMP_WORDS[at]}
    if [[ -n $expects ]]; then
      if [[ $word != = ]]; then expects=''; fi # bash splits --flag=value at the =
    elif [[ -z $command ]]; then
      command=$word
    elif [[ $command == policy || $command == session ]]; then
      command="$command $word"
    elif [[ $word == -- ]]; then
      if [[ $command == run || $command == learn || $command == 'session exec' ]]; then _pinfold_rest $((at + 1)); else _pinfold_words; fi
      return
    elif [[ $word == -* ]]; then
      if _pinfold_takes_value "$word"; then expects=$word; fi
    elif [[ $command == run || $command == learn ]]; then
      _pinfold_rest "$at"
      return
    fi
  done
  if [[ -n $expects ]]; then
    if [[ $cur == = ]]; then cur=''; fi
    _pinfold_value "$expects"
  elif [[ $cur == --*=* ]]; then
    prefix=${cur%%=*}=
    cur=${cur#*=}
    _pinfold_value "${prefix%=}"
    if [[ $COMP_WORDBREAKS == *=* ]]; then COMPREPLY=("${COMPREPLY[@]#"$prefix"}"); fi
  elif [[ $cur == -* ]]; then
    _pinfold_offer w "$(_pinfold_flags)"
  elif [[ $command == run || $command == learn ]]; then
    _pinfold_rest "$COMP_CWORD"
  else
    _pinfold_words
  fi
}

complete -F _pinfold pinfold
)bash";

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

// "_pinfold_offer wc 'any none'"
std::string offer(const Value& value) {
  std::string kinds;
  if (!value.words.empty()) kinds += 'w';
  if (value.files)
    kinds += 'f';
  else if (value.directories)
    kinds += 'd';
  if (value.commands) kinds += 'c';
  if (value.variables) kinds += 'v';
  if (kinds.empty()) return ":";
  return value.words.empty() ? fmt::format("_pinfold_offer {}", kinds)
                             : fmt::format("_pinfold_offer {} '{}'", kinds, joined(value.words, " "));
}

std::string words_of_all(const std::vector<Word>& all) {
  std::vector<std::string> words;
  words.reserve(all.size());
  for (const Word& one : all) words.push_back(one.word);
  return joined(words, " ");
}

}  // namespace

std::string bash_completions() {
  std::string takes;
  std::string values;
  for (const Flag& flag : kFlags) {
    if (!takes_value(flag)) continue;
    const std::string names = joined(spellings(flag), " | ");
    takes += (takes.empty() ? "" : " | ") + names;
    values += fmt::format("    {}) {} ;;\n", names, offer(value_of(flag)));
  }
  std::string flags;
  std::string words;
  for (const CommandInfo& command : kCommands) {
    std::vector<std::string> names;
    for (const Flag& flag : kFlags)
      if ((flag.commands & in(command.command)) != 0)
        for (std::string& one : spellings(flag)) names.push_back(std::move(one));
    flags += fmt::format("    '{}') echo '{}' ;;\n", command.name, joined(names, " "));
    words += fmt::format("    '{}') {} ;;\n", command.name, offer(words_of(command)));
  }
  for (const Noun& noun : kNouns)
    words += fmt::format("    {}) _pinfold_offer w '{}' ;;\n", noun.word, words_of_all(verbs(noun.word)));
  std::string out(kBashHead);
  out += fmt::format("_pinfold_takes_value() {{\n  case $1 in\n    {}) return 0 ;;\n  esac\n  return 1\n}}\n\n", takes);
  out += fmt::format("_pinfold_value() {{ # flag\n  case $1 in\n{}  esac\n}}\n\n", values);
  out += fmt::format(
      "_pinfold_flags() {{\n  case $command in\n    '') echo '--help --version -h -V' ;;\n{}  esac\n}}\n\n", flags);
  out += fmt::format("_pinfold_words() {{\n  case $command in\n    '') _pinfold_offer w '{}' ;;\n{}  esac\n}}\n",
                     words_of_all(first_words()), words);
  return out + std::string(kBashBody);
}

int completions(const CommandLine& parsed, Context& context) {
  const Value shells = words_of(info(Command::kCompletions));
  const std::string all = joined(shells.words, ", ");
  if (parsed.words.size() != 1)
    return complain(Error(ErrorKind::kInvalid, "completions needs the name of one shell", "use one of: " + all),
                    context.host);
  const std::string& shell = parsed.words[0];
  if (shell == "bash")
    print(STDOUT_FILENO, bash_completions());
  else if (shell == "zsh")
    print(STDOUT_FILENO, zsh_completions());
  else if (shell == "fish")
    print(STDOUT_FILENO, fish_completions());
  else
    return complain(Error(ErrorKind::kInvalid, fmt::format("there are no completions for {}", text::shown(shell)),
                          "use one of: " + all),
                    context.host);
  return 0;
}

}  // namespace pinfold::cli
