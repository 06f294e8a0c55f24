// timestamp.h: points in time as text: RFC 3339, and what people type for "since".
// Invariant: timestamp() and parse_timestamp() agree to the millisecond; impossible dates are errors.
// Not here: the local time zone, which is the host's (cli).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold {

using Moment = std::chrono::system_clock::time_point;

// UTC, milliseconds: "2026-11-15T20:55:01.123Z". A time outside the years 1 to 9999 becomes 1970.
std::string timestamp(Moment when);

struct Timestamp {
  Moment when;        // read as UTC if no zone was given
  bool zone = false;  // "Z" or "+01:00" was given
};

// "2026-11-15", "2026-11-15T20:55", "2026-11-15 20:55:01.123", each with "Z", "+01:00" or nothing behind the time.
Result<Timestamp> parse_timestamp(std::string_view text);

// "90s", "30m", "1h", "7d", "2w": the time before now.
Result<std::chrono::milliseconds> parse_ago(std::string_view text);

}  // namespace pinfold
