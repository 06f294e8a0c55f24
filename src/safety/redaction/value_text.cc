// value_text.cc: quotes, their prefixes and their escapes.
// Invariant: reads each byte once.
// Not here: names.
#include "safety/redaction/value_text.h"

#include "safety/redaction/structures.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

constexpr string_view kWrappers[] = {"String::from(", "Some(",        "new String(",   "std::string(",    "SecretStr(",
                                     "Secret(",       "Optional.of(", "String(",       "Buffer.from(",    "bytes(",
                                     "str(",          "[]byte(",      "SecretString(", "OsString::from(", "ENV.fetch("};

}  // namespace

std::optional<TextRange> quoted_text(string_view text, std::size_t at) {
  for (const string_view wrapper : kWrappers)
    if (text.substr(std::min(at, text.size())).starts_with(wrapper)) at += wrapper.size();
  // b"x", u'x', @"x", L"x", N'x'
  for (int i = 0; i < 2 && string_view("bBrRuUfFLN@").find(byte_at(text, at)) != string_view::npos && at < text.size();
       ++i)
    if (is(byte_at(text, at + 1), kQuote) || is(byte_at(text, at + 2), kQuote)) ++at;
  const bool escaped = byte_at(text, at) == '\\' && is(byte_at(text, at + 1), kQuote);
  if (escaped) ++at;
  const char quote = byte_at(text, at);
  if (!is(quote, kQuote)) return std::nullopt;
  const bool three = byte_at(text, at + 1) == quote && byte_at(text, at + 2) == quote;
  const std::size_t begin = at + (three ? 3 : 1);
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (!three && is(c, kNewline)) return std::nullopt;
    if (c == '\\') {
      if (escaped && byte_at(text, i + 1) == quote) return TextRange{begin, i};
      ++i;
      continue;
    }
    if (c == quote && (!three || text.substr(i).starts_with(text.substr(begin - 3, 3)))) return TextRange{begin, i};
  }
  return std::nullopt;
}

bool is_known_elsewhere(const Spot& spot, string_view value) {
  return find_token(spot) || (value.starts_with("eyJ") && find_web_token(spot)) ||
         value.find("-----BEGIN") != string_view::npos || value.find("://") != string_view::npos;
}

}  // namespace pinfold::redaction
