// replace.h: one exact piece of a text for another.
// Invariant: pure; the piece must be there exactly once, unless every place is meant; text with "\n" finds lines that
// end with "\r\n", and what takes its place gets the ends of the lines it replaces.
// Not here: files.
#pragma once

#include <string>
#include <string_view>

#include "pinfold/files.h"

namespace pinfold::files {

struct Replaced {
  std::string text;
  std::size_t places = 0;
};
Result<Replaced> replace_exact(std::string_view text, const Edit& edit);

}  // namespace pinfold::files
