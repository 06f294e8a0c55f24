// command_line.h: an argv as the one text that Windows starts programs with.
// Invariant: the program finds exactly this argv, by the rules of CommandLineToArgvW and of the C runtime alike; what
// could be read by a command interpreter is refused, never escaped.
// Not here: finding the program, starting it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pinfold/result.h"

namespace pinfold::backend::on_windows {

// CreateProcess takes no more, with the NUL.
inline constexpr std::size_t kLongestCommandLine = 32767;

// One argument, quoted where it must be. For arguments after the first.
std::string quote_argument(std::string_view argument);

// The whole line, in UTF-16. Refused: no argv[0], a quote in it, NUL, text that is not UTF-8, a line that is too long.
Result<std::u16string> command_line(const std::vector<std::string>& argv);

// May this file be started? Only .exe and .com: CreateProcess hands .bat and .cmd to cmd.exe, which reads the arguments
// again by rules for which there is no safe quoting.
Result<void> check_program(std::string_view file);

}  // namespace pinfold::backend::on_windows
