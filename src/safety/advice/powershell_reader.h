// powershell_reader.h: parses PowerShell and cmd lines into a Script.
// Invariant: never fails, linear in the text. Escapes that only obfuscate (i`e`x, p^owershell) are removed; the last
// command is kWholeText with the whole text, for rules about the text. Not here: the effect of commands.
#pragma once

#include <string_view>

#include "safety/advice/script.h"

namespace pinfold::advice {

inline constexpr std::string_view kWholeText = "(text)";

Script read_powershell(std::string_view text);

// Cmdlets, drive letters, %VARIABLES%, names of Windows programs.
bool looks_like_windows(std::string_view text);

}  // namespace pinfold::advice
