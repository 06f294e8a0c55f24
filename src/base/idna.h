// idna.h: labels of domain names in letters beyond ASCII, and their ASCII form (xn--…).
// Invariant: a label comes out in one form only, or is refused: what two programs could read as two different names
// (ß, final sigma, marks that do not compose, scripts with rules of their own) has to be written as xn--….
// Not here: dots, lengths, what a whole name may look like (domain.cc).
#pragma once

#include <string>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::idna {

// A label in UTF-8 → "xn--…". Capitals become small letters, a letter and its mark become one character.
Result<std::string> to_ascii(std::string_view label);

// Is this small-letter label, which begins with "xn--", the ASCII form of some label?
Result<void> check_ascii(std::string_view label);

// Punycode (RFC 3492) without the "xn--". Code points only: nothing is mapped or checked but overflow.
std::string punycode(std::u32string_view label);
Result<std::u32string> from_punycode(std::string_view text);

}  // namespace pinfold::idna
