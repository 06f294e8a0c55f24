// since.cc: --since, and local time.
// Invariant: uses the zone's offset at the given time, so that summer and winter time are right.
// Not here: the formats of dates (base/timestamp.cc).
#include "cli/since.h"

#include <ctime>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"

namespace pinfold::cli {

namespace {

// `clock`: local time, stored as if it were UTC.
Moment from_local(Moment clock) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(clock);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  parts.tm_isdst = -1;
  return std::chrono::system_clock::from_time_t(std::mktime(&parts)) +
         (clock - std::chrono::system_clock::from_time_t(seconds));
}

}  // namespace

Result<Moment> parse_since(std::string_view text, Moment now) {
  const bool span =
      !text.empty() && (text.back() < '0' || text.back() > '9') && text.find('-') == std::string_view::npos;
  if (span) {
    if (const auto ago = parse_ago(text)) return now - *ago;
  } else if (const auto date = parse_timestamp(text)) {
    return date->zone ? date->when : from_local(date->when);
  }
  return fail(ErrorKind::kInvalid,
              fmt::format("--since: \"{}\" is neither a length of time nor a date", text::shown(text)),
              "use 30m, 1h, 7d, 2026-01-31 or 2026-01-31T12:00Z");
}

Result<std::optional<Moment>> read_since(const CommandLine& parsed) {
  for (const FlagValue& one : parsed.flags) {
    if (one.flag->id != Id::kSince) continue;
    PF_TRY(since, parse_since(one.value, std::chrono::system_clock::now()));
    return since;
  }
  return std::nullopt;
}

std::string local_time(Moment when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(when));
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace pinfold::cli
