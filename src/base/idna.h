// idna.h: labels of domain names in letters beyond ASCII, and their ASCII form (xn--…).
// Invariant: a label has one ASCII form, or is refused: letters that two programs could map to two different names
// (ß, final sigma, marks that do not compose, scripts with special rules) must be written as xn--….
// Not here: dots, lengths, whole names (domain.cc).
#pragma once

#include <string>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::idna {

// A label in UTF-8 → "xn--…". Capitals become small letters, a letter and its mark become one character.
Result<std::string> to_ascii(std::string_view label);

// Fails unless this lower-case label, which begins with "xn--", is the ASCII form of a label.
Result<void> check_ascii(std::string_view label);

// Punycode (RFC 3492) without the "xn--". Code points are not mapped and checked for overflow only.
std::string punycode(std::u32string_view label);
Result<std::u32string> from_punycode(std::string_view text);

}  // namespace pinfold::idna
