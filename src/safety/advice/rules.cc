// rules.cc: finds the patterns of a program, and compares them with a command.
// Invariant: a command is compared only with the rules of its program. Not here: the rules (rules_*.cc).
#include "safety/advice/rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "safety/advice/ascii.h"
#include "safety/advice/path_kind.h"

namespace pinfold::advice {

namespace {

// Calls `use` with each non-empty part; stops and returns true when `use` returns true.
template <typename Use>
bool any_part(std::string_view text, char between, const Use& use) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    if (end > at && use(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

struct Term {
  enum class Kind { kWord, kOption, kPlace, kLast, kSource, kContains, kStarts, kIs, kNoWords };
  Kind kind = Kind::kWord;
  bool negated = false;
  std::string_view any;  // one|another
  PathKinds places = 0;
};

Term term_of(std::string_view text) {
  using Kind = Term::Kind;
  Term out;
  if (text.starts_with('!')) {
    out.negated = true;
    text.remove_prefix(1);
  }
  const char first = text[0];
  out.kind = text == "#0"   ? Kind::kNoWords
             : first == '-' ? Kind::kOption
             : first == '/' ? Kind::kOption
             : first == '@' ? Kind::kPlace
             : first == '>' ? Kind::kLast
             : first == '<' ? Kind::kSource
             : first == '*' ? Kind::kContains
             : first == '^' ? Kind::kStarts
             : first == '=' ? Kind::kIs
                            : Kind::kWord;
  if (out.kind != Kind::kWord && out.kind != Kind::kOption && out.kind != Kind::kNoWords) text.remove_prefix(1);
  out.any = text;
  if (out.kind == Kind::kPlace || out.kind == Kind::kLast || out.kind == Kind::kSource)
    any_part(text, '|', [&](std::string_view name) {
      out.places |= path_kind_named(name).value_or(0);
      return false;
    });
  return out;
}

// One line of a rule, without its programs. Its terms are read when it is held against a command: a process that judges
// one command needs few of a thousand lines, and reading them takes no memory.
struct Pattern {
  const Rule* rule;
  std::string_view terms;
};

struct Index {
  std::unordered_map<std::string_view, std::vector<Pattern>> by_program;
  std::vector<Pattern> for_any;
};

Index index_of(Dialect dialect) {
  Index out;
  out.by_program.reserve(2048);
  for (const auto table : rule_tables(dialect))
    for (const Rule& rule : table)
      any_part(rule.patterns, '\n', [&](std::string_view line) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const std::string_view programs = line.substr(0, line.find(' '));
        const Pattern pattern{&rule, line.substr(programs.size())};
        if (programs == "*") {
          out.for_any.push_back(pattern);
          return false;
        }
        return any_part(programs, '|', [&](std::string_view program) {
          out.by_program[program].push_back(pattern);
          return false;
        });
      });
  return out;
}

const Index& index(Dialect dialect) {
  if (dialect == Dialect::kPosix) {
    static const Index posix = index_of(Dialect::kPosix);
    return posix;
  }
  static const Index windows = index_of(Dialect::kWindows);
  return windows;
}

bool same(std::string_view text, std::string_view wanted, Dialect dialect) {
  return dialect == Dialect::kPosix ? text == wanted : text.size() == wanted.size() && has_any_case(text, wanted);
}

bool is_option(std::string_view given, std::string_view wanted, Dialect dialect) {
  if (given == wanted) return true;
  // PowerShell accepts any prefix of a parameter's name.
  return dialect == Dialect::kWindows && wanted[0] == '-' && given.size() >= 2 && wanted.size() > given.size() &&
         wanted.starts_with(given);
}

bool option_holds(const Call& call, std::string_view wanted) {
  const auto equals = wanted.find('=');
  const std::string_view name = wanted.substr(0, equals);
  return std::any_of(call.arguments.options.begin(), call.arguments.options.end(), [&](const Option& option) {
    if (!is_option(option.name, name, call.dialect)) return false;
    return equals == std::string_view::npos ||
           (option.value != nullptr && has_any_case(option.value->text, wanted.substr(equals + 1)));
  });
}

bool in_places(const Call& call, const Word& word, PathKinds places) {
  if (path_kinds_of(word, call.directory) & places) return true;
  // of=/dev/sda, @/etc/shadow, host:/etc: the rest is the path.
  const auto cut = word.text.find_first_of("=@:");
  if (cut == std::string::npos || cut + 1 >= word.text.size() || cut > 24) return false;
  if (call.dialect == Dialect::kWindows && word.text[cut] == ':') return false;
  const auto further = word.text.find('@', cut + 1);
  const std::size_t from =
      further == cut + 1 || (further != std::string::npos && word.text[cut] == '=') ? further : cut;
  Word rest;
  rest.text = word.text.substr(from + 1);
  rest.unknown = word.unknown;
  return (path_kinds_of(rest, {}) & places) != 0;
}

bool holds(const Term& term, const Call& call, std::size_t& word_at, bool& first_word) {
  using Kind = Term::Kind;
  const Arguments& arguments = call.arguments;
  const auto any = [&](const auto& test) { return any_part(term.any, '|', test); };
  switch (term.kind) {
    case Kind::kNoWords: return arguments.words.empty();
    case Kind::kOption: return any([&](std::string_view wanted) { return option_holds(call, wanted); });
    case Kind::kPlace: {
      for (const Word* word : arguments.words)
        if (in_places(call, *word, term.places)) return true;
      for (const Option& option : arguments.options)
        if (option.value != nullptr && in_places(call, *option.value, term.places)) return true;
      return false;
    }
    case Kind::kLast: return !arguments.words.empty() && in_places(call, *arguments.words.back(), term.places);
    case Kind::kSource:
      return std::any_of(arguments.words.begin(), arguments.words.end(), [&](const Word* word) {
        return word != arguments.words.back() && in_places(call, *word, term.places);
      });
    case Kind::kContains:
      return std::any_of(call.words.begin() + 1, call.words.end(), [&](const Word& word) {
        return any([&](std::string_view wanted) { return has_any_case(word.text, wanted); });
      });
    case Kind::kStarts: {
      const auto starts = [&](const Word& word) {
        return any([&](std::string_view wanted) {
          return has_any_case(std::string_view(word.text).substr(0, wanted.size()), wanted);
        });
      };
      return std::any_of(arguments.words.begin(), arguments.words.end(), [&](const Word* w) { return starts(*w); }) ||
             std::any_of(arguments.options.begin(), arguments.options.end(),
                         [&](const Option& o) { return o.value != nullptr && starts(*o.value); });
    }
    case Kind::kIs:
      return std::any_of(arguments.words.begin(), arguments.words.end(), [&](const Word* word) {
        return any([&](std::string_view wanted) { return same(word->text, wanted, call.dialect); });
      });
    case Kind::kWord: break;
  }
  for (; word_at < arguments.words.size(); ++word_at) {
    const std::string_view text = arguments.words[word_at]->text;
    if (any([&](std::string_view wanted) { return same(text, wanted, call.dialect); })) {
      ++word_at;
      first_word = false;
      return true;
    }
    if (first_word) return false;
  }
  return false;
}

bool matches(const Pattern& pattern, const Call& call) {
  std::size_t word_at = 0;
  bool first_word = true;
  return !any_part(pattern.terms, ' ', [&](std::string_view text) {
    const Term term = term_of(text);
    return holds(term, call, word_at, first_word) == term.negated;
  });
}

}  // namespace

std::span<const std::span<const Rule>> rule_tables(Dialect dialect) {
  static const std::array posix = {kFileRules, kSystemRules, kAccessRules, kNetworkRules, kProjectRules, kFoundRules};
  static const std::array windows = {kWindowsRules, kProjectRules};
  if (dialect == Dialect::kPosix) return posix;
  return windows;
}

std::vector<const Rule*> matching(const Call& call) {
  std::vector<const Rule*> out;
  const auto take = [&](const std::vector<Pattern>& patterns) {
    for (const Pattern& pattern : patterns)
      if ((out.empty() || out.back() != pattern.rule) && matches(pattern, call)) out.push_back(pattern.rule);
  };
  const Index& all = index(call.dialect);
  if (const auto found = all.by_program.find(call.program); found != all.by_program.end()) take(found->second);
  // Tools of attack go by many endings and cases: LinEnum.sh, psexec.py.
  const auto dot = call.program.find('.');
  if (dot != std::string_view::npos && dot > 0)
    if (const auto found = all.by_program.find(lower(call.program.substr(0, dot))); found != all.by_program.end())
      for (const Pattern& pattern : found->second)
        if (pattern.rule->category == "attack-tool" && matches(pattern, call)) out.push_back(pattern.rule);
  take(all.for_any);
  return out;
}

const Rule& rule_named(std::string_view id) {
  for (const auto table : {kFoundRules, kWindowsRules})
    for (const Rule& rule : table)
      if (rule.id == id) return rule;
  return kFoundRules[0];
}

}  // namespace pinfold::advice
