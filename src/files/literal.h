// literal.h: finding a piece of text quickly, and the piece that every match of a pattern must contain.
// Invariant: pure. Not here: regular expressions themselves (matcher.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pinfold::files {

// The first place at or after `from`, or npos.
std::size_t find_literal(std::string_view text, std::string_view piece, std::size_t from);

std::size_t count_lines(std::string_view text);  // newlines in it

// Text that stands in every match of this regular expression (RE2's syntax), the longest that is plain to see; empty
// where there is none. Never wrong: it skips any construct that it does not parse.
std::string required_literal(std::string_view expression);

// Does it have no meaning but itself?
bool is_plain(std::string_view expression);

}  // namespace pinfold::files
