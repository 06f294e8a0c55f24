// judge_functions.cc: judges the body of a function with the arguments of each call.
// Invariant: as judge.h; a body is judged again for each call, up to a bounded number of calls.
// Not here: the body without arguments (it is judged at its definition).
#include <map>

#include "safety/advice/ascii.h"
#include "safety/advice/judge.h"

namespace pinfold::advice {

namespace {

constexpr std::size_t kMostCalls = 64;
constexpr std::size_t kMostBody = 64;
constexpr std::size_t kMostText = 8192;

using Values = std::map<std::string, std::string, std::less<>>;

// "$1" and "${1}", "$name", "$@": replaced where the value is known. True: something was.
bool put_in(std::string& text, const Values& values) {
  bool changed = false;
  for (std::size_t at = text.find('$'); at != std::string::npos && at + 1 < text.size(); at = text.find('$', at)) {
    const bool braces = text[at + 1] == '{';
    const std::size_t start = at + (braces ? 2 : 1);
    std::size_t end = start;
    if (end < text.size() && (text[end] == '@' || text[end] == '*' || is_digit(text[end])))
      ++end;
    else
      while (end < text.size() && is_name(text[end])) ++end;
    const auto found = values.find(std::string_view(text).substr(start, end - start));
    if (found == values.end() || text.size() > kMostText || (braces && (end >= text.size() || text[end] != '}'))) {
      ++at;
      continue;
    }
    text.replace(at, end + (braces ? 1 : 0) - at, found->second);
    at += found->second.size();  // do not expand the inserted text again
    changed = true;
  }
  return changed;
}

bool put_in(Word& word, const Values& values) {
  if (!put_in(word.text, values)) return false;
  word.unknown = word.text.find('$') != std::string::npos;
  return true;
}

}  // namespace

void Judge::called(State& state, const Function& function, Words words, CallContext context) {
  if (words.size() < 2 || words.size() > 10 || ++nested_ > kMostCalls) return;
  Values values;
  std::string all;
  for (std::size_t i = 1; i < words.size(); ++i) {
    values[std::to_string(i)] = words[i].text;
    all += (i > 1 ? " " : "") + words[i].text;
  }
  values["@"] = values["*"] = all;
  const std::size_t last =
      std::min({function.body.last, state.script.commands.size(), function.body.first + kMostBody});
  for (std::size_t i = function.body.first; i < last; ++i) {
    Simple one = state.script.commands[i];
    bool changed = false;
    for (Assignment& each : one.assignments) {
      put_in(each.value, values);
      values[each.name] = each.value.text;
    }
    for (Word& word : one.words) changed = put_in(word, values) || changed;
    for (Redirect& each : one.redirects) changed = put_in(each.target, values) || changed;
    if (one.words.empty() || !changed) continue;
    if (listed("local declare typeset readonly export", one.words[0].text)) {
      for (const Word& word : one.words)
        if (const auto equals = word.text.find('='); equals != std::string::npos)
          values[word.text.substr(0, equals)] = word.text.substr(equals + 1);
      continue;
    }
    redirects(state, one, context);
    run(state, one, one.words, context);
  }
}

}  // namespace pinfold::advice
