// timestamp.cc: points in time as text.
// Invariant: all calendar arithmetic is the standard library's.
// Not here: the local time zone (cli).
#include "base/timestamp.h"

#include <array>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "base/units.h"

namespace pinfold {
namespace {

using std::string_view;

constexpr const char* kForms = "write it as 2026-01-31, 2026-01-31T12:00 or 2026-01-31T12:00:00Z";

void put(std::string& out, unsigned value, std::size_t digits) {
  std::array<char, 10> text{};
  for (std::size_t i = digits; i-- > 0; value /= 10) text[i] = static_cast<char>('0' + value % 10);
  out.append(text.data(), digits);
}

class Reader {
 public:
  explicit Reader(string_view text) : rest_(text) {}

  std::optional<unsigned> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    unsigned value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return std::nullopt;
      value = value * 10 + static_cast<unsigned>(rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool done() const { return rest_.empty(); }

 private:
  string_view rest_;
};

// "hh:mm" below the given limits.
std::optional<std::chrono::minutes> hours_and_minutes(Reader& reader) {
  const auto hours = reader.digits(2);
  if (!hours || *hours > 23 || !reader.take(':')) return std::nullopt;
  const auto minutes = reader.digits(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
}

std::optional<Timestamp> read(string_view text) {
  using namespace std::chrono;
  Reader reader(text);
  const auto years = reader.digits(4);
  if (!years || !reader.take('-')) return std::nullopt;
  const auto months = reader.digits(2);
  if (!months || !reader.take('-')) return std::nullopt;
  const auto days = reader.digits(2);
  if (!days) return std::nullopt;
  const year_month_day date{year(static_cast<int>(*years)), month(*months), day(*days)};
  if (!date.ok() || *years == 0) return std::nullopt;
  Timestamp out{sys_days(date), false};
  if (reader.done()) return out;

  if (!reader.take('T') && !reader.take(' ')) return std::nullopt;
  const auto time = hours_and_minutes(reader);
  if (!time) return std::nullopt;
  out.when += *time;
  if (reader.take(':')) {
    const auto whole = reader.digits(2);
    if (!whole || *whole > 60) return std::nullopt;
    out.when += seconds(*whole);
    if (reader.take('.')) {
      const auto thousandths = reader.digits(3);
      if (!thousandths) return std::nullopt;
      out.when += milliseconds(*thousandths);
    }
  }
  if (reader.done()) return out;
  out.zone = true;
  if (reader.take('Z')) return reader.done() ? std::optional(out) : std::nullopt;
  const bool east = reader.take('+');
  if (!east && !reader.take('-')) return std::nullopt;
  const auto offset = hours_and_minutes(reader);
  if (!offset || !reader.done()) return std::nullopt;
  out.when += east ? -*offset : *offset;
  return out;
}

}  // namespace

std::string timestamp(Moment when) {
  using namespace std::chrono;
  const auto midnight = floor<days>(when);
  const year_month_day date(midnight);
  if (static_cast<int>(date.year()) < 1 || static_cast<int>(date.year()) > 9999) return timestamp(Moment{});
  const hh_mm_ss time(floor<milliseconds>(when - midnight));
  std::string out;
  out.reserve(24);
  put(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out += '-';
  put(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  put(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  put(out, static_cast<unsigned>(time.hours().count()), 2);
  out += ':';
  put(out, static_cast<unsigned>(time.minutes().count()), 2);
  out += ':';
  put(out, static_cast<unsigned>(time.seconds().count()), 2);
  out += '.';
  put(out, static_cast<unsigned>(time.subseconds().count()), 3);
  return out + 'Z';
}

Result<Timestamp> parse_timestamp(string_view text) {
  if (const auto found = read(text)) return *found;
  return fail(ErrorKind::kInvalid, "\"" + text::shown(text) + "\" is not a date", kForms);
}

Result<std::chrono::milliseconds> parse_ago(string_view text) {
  const bool weeks = text.ends_with('w');
  if (!weeks && !text.ends_with('d')) return units::parse_duration(text);
  // Days and weeks are converted to hours: units::parse_duration() does not accept them for limits.
  const std::string hours = std::string(text.substr(0, text.size() - 1)) + "h";
  auto spans = units::parse_duration(hours);
  constexpr auto kCentury = std::chrono::hours(24 * 365 * 100);
  const int factor = weeks ? 7 * 24 : 24;
  if (!spans || *spans > kCentury / factor)
    return fail(ErrorKind::kInvalid, "\"" + text::shown(text) + "\" is not a duration",
                "use a number and a unit, such as 30m, 1h or 7d");
  return *spans * factor;
}

}  // namespace pinfold
