// sbpl_text.h: text of Apple's profile language: quoting, regular expressions, paths as its kernel names them.
// Invariant: a path with any bytes reads back as exactly that path, in one string of one filter.
// Not here: which rules (sbpl.h).
#pragma once

#include <string>
#include <string_view>

namespace pinfold::backend::darwin {

// "…" with backslash and quote escaped; other bytes are unchanged. All profile text is quoted here.
std::string sbpl_string(std::string_view text);

// Matches parent/name and all paths below it, with the name in upper and lower case: APFS treats all spellings as one
// name, but Seatbelt compares a name that does not exist yet as the caller wrote it.
std::string any_case(std::string_view parent, std::string_view name);

// The path as the kernel names it: /tmp, /var and /etc are in /private; the data volume's prefix is dropped.
std::string canonical(std::string_view path);

}  // namespace pinfold::backend::darwin
