// tokens.cc: finds the prefix, and checks the rest.
// Invariant: reads each byte of a candidate a bounded number of times.
// Not here: the table (token_table.h).
#include "safety/redaction/tokens.h"

#include "safety/redaction/token_table.h"
#include "safety/redaction/values.h"

namespace pinfold::redaction {
namespace {

using std::string_view;
using token_table::kTokens;

// Where the rules of each first byte begin.
constexpr std::array<std::uint16_t, 257> kFirst = [] {
  std::array<std::uint16_t, 257> out{};
  std::size_t next = 0;
  for (std::size_t byte = 0; byte <= 256; ++byte) {
    while (next < kTokens.size() && static_cast<unsigned char>(kTokens[next].prefix[0]) < byte) ++next;
    out[byte] = static_cast<std::uint16_t>(next);
  }
  return out;
}();

bool holds(Needs needs, string_view body) {
  switch (needs) {
    case Needs::kNothing: return true;
    case Needs::kNoWords: return !is_wordy(body);
    case Needs::kOneDigit: return any_of(body, kDigit) && !is_wordy(body);
    case Needs::kDotted:
      if (body.find('.') == string_view::npos) return false;
      [[fallthrough]];
    case Needs::kMixed: return any_of(body, kDigit) && any_of(body, kUpper) && any_of(body, kLower) && !is_wordy(body);
  }
  return false;
}

// "xxxxxxxx", "********", "0000…": shown in place of a key.
bool is_filler(string_view body) {
  constexpr std::size_t kLongRun = 8;
  std::size_t run = 0;
  std::size_t longest = 0;
  for (std::size_t i = 1; i < body.size(); ++i) {
    run = body[i] == body[i - 1] ? run + 1 : 0;
    longest = std::max(longest, run + 1);
  }
  // A key may end in a row of the same letter; where little else is left, it is none.
  return (longest >= kLongRun && body.size() - longest < 16) || distinct_bytes(body) < 5;
}

}  // namespace

std::span<const TokenRule> token_rules() { return kTokens; }

OptionalMatch find_token(const Spot& spot) {
  const string_view text = spot.ahead;
  const auto first = static_cast<unsigned char>(byte_at(text, 0));
  for (std::size_t i = kFirst[first]; i < kFirst[first + 1U]; ++i) {
    const TokenRule& rule = kTokens[i];
    if (!text.starts_with(rule.prefix)) continue;
    const Kinds alphabet = static_cast<Kinds>(rule.alphabet | (rule.needs == Needs::kDotted ? kDotTilde : 0));
    std::size_t length = run_of(text, rule.prefix.size(), alphabet);
    string_view body = text.substr(rule.prefix.size(), length);
    while (!body.empty() && body.back() == '.') body.remove_suffix(1);  // the end of a sentence
    length = body.size();
    if (length < rule.least || length > rule.most || !holds(rule.needs, body) || is_filler(body)) continue;
    const std::size_t end = rule.prefix.size() + length;
    return found(rule.rule, 0, end, end == text.size() ? Tail::kRun : Tail::kNone);
  }
  return std::nullopt;
}

}  // namespace pinfold::redaction
