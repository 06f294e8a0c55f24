// content.h: the kind of a file's content, and its line ends.
// Invariant: pure; a NUL byte near the beginning makes it binary, as for git and grep.
// Not here: reading files.
#pragma once

#include <string>
#include <string_view>

#include "pinfold/files.h"

namespace pinfold::files {

inline constexpr std::size_t kBinaryWindow = 8192;

bool looks_binary(std::string_view beginning);
Content content_of(std::string_view bytes);
LineEnds line_ends_of(std::string_view bytes);

// With the given line ends instead of "\n"; kMixed and kNone change nothing.
std::string with_line_ends(std::string_view text, LineEnds ends);

std::string_view word(Content content);  // "utf-8", "other", "binary"
std::string_view word(LineEnds ends);    // "lf", "crlf", "mixed", "none"

}  // namespace pinfold::files
