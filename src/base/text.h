// text.h: untrusted text made safe to show or to paste.
// Invariant: shown() returns one line without control, bidi or zero-width characters, and valid UTF-8.
// Not here: JSON, terminals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pinfold::text {

// "a\nb" becomes "a\\nb"; bytes that are not UTF-8 become \xHH, deceiving code points \u{HHHH}.
std::string shown(std::string_view raw);

// One word of a shell command line, quoted only when needed; unprintable bytes use $'…'.
std::string shell_word(std::string_view raw);
// All of them, as one line.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace pinfold::text
