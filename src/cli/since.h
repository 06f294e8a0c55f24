// since.h: --since as a point in time, and points in time as local time.
// Invariant: a date without a zone is local time. Not here: the formats of dates (base/timestamp.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/timestamp.h"
#include "cli/parse.h"

namespace pinfold::cli {

Result<Moment> parse_since(std::string_view text, Moment now);

// The value of --since; empty without the flag.
Result<std::optional<Moment>> read_since(const CommandLine& parsed);

// "2026-11-15 20:55:01", local.
std::string local_time(Moment when);

}  // namespace pinfold::cli
