// git_unfinished.cc: compares each file of an unfinished git operation with the content that git itself writes.
// Invariant: unknown content counts as harmful. Not here: opening and renaming the files (git_disarm.cc).
#include "backend/linux/protect/git_unfinished.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace pinfold::backend::on_linux {
namespace {

using std::string_view;

constexpr auto kStrategies = std::to_array<string_view>({"ort", "recursive", "resolve", "octopus", "ours", "subtree"});

constexpr auto kVerbs = std::to_array<string_view>(
    {"pick", "p",     "revert", "edit",  "e", "reword", "r", "fixup",      "f", "squash", "s",    "break",
     "b",    "label", "l",      "reset", "t", "merge",  "m", "update-ref", "u", "noop",   "drop", "d"});

// Options of `git apply` that `git am` keeps.
constexpr auto kApplyOptions =
    std::to_array<string_view>({"--whitespace=", "--ignore-space-change", "--ignore-whitespace",
                                "--directory=", "--exclude=", "--include=", "--reject", "-C", "-p"});

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

string_view trimmed(string_view text) {
  constexpr string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == string_view::npos ? string_view() : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

string_view take_line(string_view& rest) {
  const string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

// The rest of the text behind the word in single quotes that it begins with, quoted as git's sq_quote() does.
std::optional<string_view> behind_quoted(string_view text) {
  if (!text.starts_with('\'')) return std::nullopt;
  for (;;) {
    const std::size_t end = text.find('\'', 1);
    if (end == string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
    if (!text.starts_with("\\''") && !text.starts_with("\\!'")) return text;
    text.remove_prefix(2);
  }
}

bool is_harmless_list(string_view text, bool (*is_harmless_word)(string_view quoted)) {
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const auto rest = behind_quoted(text);
    if (!rest || (!rest->empty() && rest->front() != ' ' && rest->front() != '\n')) return false;
    if (!is_harmless_word(text.substr(0, text.size() - rest->size()))) return false;
    text = *rest;
  }
  return true;
}

}  // namespace

bool is_harmless_todo(string_view text) {
  while (!text.empty()) {
    const string_view line = trimmed(take_line(text));
    // Git refuses a line that begins with any other character, unless it is a comment.
    if (line.empty() || !is_letter_or_digit(line.front())) continue;
    const string_view verb = line.substr(0, line.find_first_of(" \t\r"));
    if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end()) return false;
  }
  return true;
}

bool is_harmless_strategy(string_view text) {
  text = trimmed(text);
  return text.empty() || std::find(kStrategies.begin(), kStrategies.end(), text) != kStrategies.end();
}

bool is_harmless_option_list(string_view text) {
  text = trimmed(text);
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || string_view(" -_=.,/:+%@\"'").find(c) != string_view::npos;
  });
}

bool is_harmless_author_script(string_view text) {
  constexpr auto kVariables = std::to_array<string_view>({"GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_AUTHOR_DATE="});
  while (!text.empty()) {
    const auto* const found = std::find_if(kVariables.begin(), kVariables.end(),
                                           [&](string_view variable) { return text.starts_with(variable); });
    if (found == kVariables.end()) return false;
    const string_view value = text.substr(found->size());
    const auto rest = behind_quoted(value);
    // A line break in a value would begin a variable for the versions of git that split lines first.
    if (!rest || (!rest->empty() && rest->front() != '\n')) return false;
    if (value.substr(0, value.size() - rest->size()).find('\n') != string_view::npos) return false;
    text = rest->empty() ? *rest : rest->substr(1);
  }
  return true;
}

bool is_harmless_apply_options(string_view text) {
  return is_harmless_list(text, [](string_view quoted) {
    const string_view word = quoted.substr(1);
    return std::any_of(kApplyOptions.begin(), kApplyOptions.end(),
                       [&](string_view option) { return word.starts_with(option); });
  });
}

bool is_harmless_sequencer_options(string_view text) {
  while (!text.empty()) {
    const string_view line = trimmed(take_line(text));
    if (line.empty() || line == "[options]" || line.front() == '#' || line.front() == ';') continue;
    const std::size_t equals = line.find('=');
    std::string key(trimmed(line.substr(0, equals)));
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool plain = std::all_of(key.begin(), key.end(), [](char c) { return is_letter_or_digit(c) || c == '-'; });
    if (!plain || line.back() == '\\') return false;
    if (key == "strategy" && (equals == string_view::npos || !is_harmless_strategy(line.substr(equals + 1))))
      return false;
  }
  return true;
}

bool is_harmless_bisect_names(string_view text) {
  return is_harmless_list(text, [](string_view) { return true; });
}

}  // namespace pinfold::backend::on_linux
