// unified_diff.h: two texts as a unified diff, as `patch` reads it.
// Invariant: pure; applying it to the first gives the second. Not here: colour, files.
#pragma once

#include <string>
#include <string_view>

namespace pinfold::files {

// Empty: they are the same. `name` stands behind "--- a/" and "+++ b/"; a text that is not there is "/dev/null".
enum class OldFile { kPresent, kMissing };
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name, OldFile was);

}  // namespace pinfold::files
