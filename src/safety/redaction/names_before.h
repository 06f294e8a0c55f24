// names_before.h: finds the name before a sign, a quote or a bracket.
// Invariant: reads backwards within the bytes of the Spot.
// Not here: the kind of the name (secret_names.h).
#pragma once

#include "safety/redaction/chars.h"

namespace pinfold::redaction {

struct NameBefore {
  std::string_view name;
  std::string_view line;  // the line before the name, without the quote
  bool quoted = false;
};

constexpr std::string_view without_blanks(std::string_view text) {
  return text.substr(0, text.size() - run_back(text, kBlank));
}

// `password`, `"password"`, `\"password\"`, `['password']`, `[:password]`, `password[32]`, `$password`.
constexpr NameBefore name_before(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  NameBefore out;
  text = without_blanks(text);
  while (!text.empty() && (text.back() == ']' || text.back() == '[' || text.back() == ')')) {
    text.remove_suffix(1);
    if (run_back(text, kDigit) > 0 && run_back(text, kDigit) < text.size() &&
        text[text.size() - 1 - run_back(text, kDigit)] == '[')
      text.remove_suffix(run_back(text, kDigit) + 1);
  }
  if (!text.empty() && is(text.back(), kQuote)) {
    out.quoted = true;
    text.remove_suffix(1);
    if (!text.empty() && text.back() == '\\') text.remove_suffix(1);
  }
  std::size_t size = 0;
  while (size < text.size() && size < kLongest &&
         (is(text[text.size() - 1 - size], kName) || text[text.size() - 1 - size] == '.'))
    ++size;
  out.name = text.substr(text.size() - size);
  out.line = text.substr(0, text.size() - size);
  if (out.quoted && !out.line.empty() && is(out.line.back(), kQuote)) out.line.remove_suffix(1);
  return out;
}

}  // namespace pinfold::redaction
