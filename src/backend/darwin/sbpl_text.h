// sbpl_text.h: words of Apple's profile language: quoting, regular expressions, paths as its kernel sees them.
// Invariant: whatever a path holds, what is written reads back as exactly that path, in one string of one filter.
// Not here: which rules (sbpl.h).
#pragma once

#include <string>
#include <string_view>

namespace pinfold::backend::darwin {

// "…" with backslash and quote escaped; other bytes stand for themselves. The one place where profile text is quoted.
std::string sbpl_string(std::string_view text);

// Matches parent/name and all below it, however the name is spelled in upper and lower case: the file system of a Mac
// takes all of them for the same name, but a name that does not exist yet is judged as it is written.
std::string any_case(std::string_view parent, std::string_view name);

// As the kernel names it: /tmp, /var and /etc lie in /private; the data volume has no name of its own.
std::string canonical(std::string_view path);

}  // namespace pinfold::backend::darwin
