// powershell_reader.h: reads PowerShell and cmd lines into a Script.
// Invariant: never fails, linear in the text. Escapes that only hide (i`e`x, p^owershell) are gone; the last command is
// kWholeText with all of the text, for what only shows there. Not here: what commands do.
#pragma once

#include <string_view>

#include "safety/advice/script.h"

namespace pinfold::advice {

inline constexpr std::string_view kWholeText = "(text)";

Script read_powershell(std::string_view text);

// Cmdlets, drive letters, %VARIABLES%, names of Windows programs.
bool looks_like_windows(std::string_view text);

}  // namespace pinfold::advice
