// shell_reader.h: reads POSIX shell and bash into a Script.
// Invariant: never fails: any bytes are read, in time linear in their number; nesting beyond kMostNested is left out
// and said (Script::complete). Not here: what commands do.
#pragma once

#include <cstddef>
#include <string_view>

#include "safety/advice/script.h"

namespace pinfold::advice {

inline constexpr std::size_t kMostNested = 24;
inline constexpr std::size_t kMostCommands = 4096;

Script read_shell(std::string_view text);

}  // namespace pinfold::advice
