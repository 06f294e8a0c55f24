// value_text.h: finds the begin and the end of a quoted value.
// Invariant: never beyond the end of the line, except between three quotes.
// Not here: whether it is a secret (values.h).
#pragma once

#include <optional>

#include "safety/redaction/chars.h"
#include "safety/redaction/tokens.h"

namespace pinfold::redaction {

struct TextRange {
  std::size_t begin = 0;  // without the quotes
  std::size_t end = 0;
};

// `"x"`, `'x'`, `b"x"`, `@"x"`, `\"x\"`, `String::from("x")`; none: no quote there, or it is not closed.
std::optional<TextRange> quoted_text(std::string_view text, std::size_t at);

// A vendor's key, a web token, a key block or an address: other rules redact exactly its secret part.
bool is_known_elsewhere(const Spot& spot, std::string_view value);

}  // namespace pinfold::redaction
