// word_shape.h: is a text made of words, or random?
// Invariant: reads each byte once, no allocation; independent of names and rules.
// Not here: the conditions for the value of a name (values.h).
#pragma once

#include "safety/redaction/chars.h"

namespace pinfold::redaction {

// Calls `each` with the parts of "accessToken_v2": words in small letters, and numbers.
template <typename Each>
void parts_of(std::string_view value, Each each) {
  std::size_t begin = 0;
  const auto finish = [&](std::size_t end) {
    if (end > begin) each(value.substr(begin, end - begin));
    begin = end;
  };
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (!is(c, kAlnum)) {
      finish(i);
      begin = i + 1;
    } else if (i > begin &&
               ((is(c, kUpper) && is(value[i - 1], kLower)) || is(c, kDigit) != is(value[i - 1], kDigit))) {
      finish(i);
    }
  }
  finish(value.size());
}

std::size_t distinct_bytes(std::string_view text);

// Bits for each byte, by how often each occurs in the text itself.
double entropy(std::string_view text);

// "0123456789", "abcdefgh": counted out, not drawn.
bool is_counting(std::string_view value);

// "access_token_v2", "getPassword", "user-name": words and small numbers, as people name things.
bool is_wordy(std::string_view value);

// No language that names are made of: neighbours that words seldom have, or letters and digits that take turns.
bool is_drawn(std::string_view value);

// "Confirm", "New password": the beginning of a sentence or a title.
bool has_capital_start(std::string_view value);

}  // namespace pinfold::redaction
