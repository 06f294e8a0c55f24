// command_line.h: an argv as the command line that CreateProcess takes.
// Invariant: the program reads exactly this argv, by the rules of CommandLineToArgvW and of the C runtime; a program
// that cmd.exe would run is refused, never escaped. Not here: finding the program, starting it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pinfold/result.h"

namespace pinfold::backend::on_windows {

// The limit of CreateProcess, with the NUL.
inline constexpr std::size_t kLongestCommandLine = 32767;

// One argument, quoted where it must be. For arguments after the first.
std::string quote_argument(std::string_view argument);

// The whole line, in UTF-16. Refused: no argv[0], a quote in it, NUL, text that is not UTF-8, a line that is too long.
Result<std::u16string> command_line(const std::vector<std::string>& argv);

// Only .exe and .com files are accepted: CreateProcess starts .bat and .cmd files with cmd.exe, which parses the
// arguments again, and no quoting is safe for it.
Result<void> check_program(std::string_view file);

}  // namespace pinfold::backend::on_windows
