// since.h: --since as a point in time, and points in time as a person here reads them.
// Invariant: a date without a zone is local time, as it is shown. Not here: the forms of dates (base/timestamp.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/timestamp.h"
#include "cli/parse.h"

namespace pinfold::cli {

Result<Moment> parse_since(std::string_view text, Moment now);

// Of the command line; nothing if it was not given.
Result<std::optional<Moment>> read_since(const Parsed& parsed);

// "2026-11-15 20:55:01", local.
std::string local_time(Moment when);

}  // namespace pinfold::cli
