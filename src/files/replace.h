// replace.h: one exact piece of a text for another.
// Invariant: pure; the piece must be there exactly once, unless every occurrence is meant; text with "\n" finds lines
// that end with "\r\n", and the replacement gets the line ends of the lines that it replaces.
// Not here: files.
#pragma once

#include <string>
#include <string_view>

#include "pinfold/files.h"

namespace pinfold::files {

struct Replacement {
  std::string text;
  std::size_t places = 0;
};
Result<Replacement> replace_exact(std::string_view text, const Edit& edit);

}  // namespace pinfold::files
