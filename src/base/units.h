// units.h: durations, sizes and counts as people type them.
// Invariant: strict: a unit is required where it matters; zero, negative, overflow and junk are errors that name the
// accepted forms. Not here: which limits exist.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::units {

// "500ms", "30s", "2m", "1h".
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// "4096" (bytes), "64K", "512M", "1G", "2T"; powers of 1024.
Result<std::uint64_t> parse_size(std::string_view text);
// "64".
Result<std::uint64_t> parse_count(std::string_view text);

// The shortest exact form that parse_* reads back.
std::string format_duration(std::chrono::milliseconds value);
std::string format_size(std::uint64_t bytes);

}  // namespace pinfold::units
