// shell_reader.h: parses POSIX shell and bash into a Script.
// Invariant: never fails on any bytes, and takes linear time; text nested deeper than kMostNested is skipped, and
// Script::complete is false. Not here: the effect of commands.
#pragma once

#include <cstddef>
#include <string_view>

#include "safety/advice/script.h"

namespace pinfold::advice {

inline constexpr std::size_t kMostNested = 24;
inline constexpr std::size_t kMostCommands = 4096;

Script read_shell(std::string_view text);

}  // namespace pinfold::advice
