// units.cc: durations, sizes and counts as people type them.
// Invariant: format_x(parse_x(text)) means the same amount.
// Not here: which limits exist.
#include "base/units.h"

#include <array>
#include <limits>
#include <optional>

#include "base/text.h"

namespace pinfold::units {
namespace {

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};
constexpr std::array<Unit, 4> kTimes{{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
constexpr std::array<Unit, 5> kSizes{{{"", 1},
                                      {"K", std::uint64_t{1} << 10U},
                                      {"M", std::uint64_t{1} << 20U},
                                      {"G", std::uint64_t{1} << 30U},
                                      {"T", std::uint64_t{1} << 40U}}};
constexpr std::string_view kTimeForms = "use a number and a unit, such as 500ms, 30s, 2m or 1h";
constexpr std::string_view kSizeForms = "use bytes or a number and a unit, such as 4096, 64K, 512M or 1G";
constexpr std::string_view kCountForms = "use a whole number from 1 to 4194304, such as 64";

// A century in milliseconds still fits an int64 of nanoseconds; sizes must fit what setrlimit and off_t take.
constexpr std::uint64_t kLongest = std::uint64_t{100} * 365 * 24 * 3'600'000;
constexpr std::uint64_t kBiggest = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMost = 4'194'304;  // the kernel's own PID_MAX_LIMIT

tl::unexpected<Error> bad(std::string_view text, std::string_view why, std::string_view forms) {
  return fail(ErrorKind::kInvalid, "\"" + text::shown(text) + "\" " + std::string(why), std::string(forms));
}

template <std::size_t N>
Result<std::uint64_t> parse(std::string_view text, const std::array<Unit, N>& units, std::uint64_t most,
                            std::string_view forms) {
  if (text.empty()) return bad(text, "is empty", forms);
  if (text[0] == '-') return bad(text, "is negative", forms);
  std::uint64_t number = 0;
  std::size_t at = 0;
  bool too_big = false;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    if (number > (most - digit) / 10)
      too_big = true;
    else
      number = number * 10 + digit;
  }
  if (at == 0) return bad(text, "is not a number", forms);
  std::string suffix(text.substr(at));
  if (N == kSizes.size() && suffix.size() == 1 && suffix[0] >= 'a' && suffix[0] <= 'z')
    suffix[0] = static_cast<char>(suffix[0] - 'a' + 'A');
  for (const Unit& unit : units) {
    if (unit.suffix != suffix) continue;
    if (too_big || number > most / unit.factor) return bad(text, "is too large", forms);
    if (number == 0) return bad(text, "is zero", forms);
    return number * unit.factor;
  }
  return bad(text, suffix.empty() ? "has no unit" : "has an unknown unit", forms);
}

template <std::size_t N>
std::string format(std::uint64_t amount, const std::array<Unit, N>& units) {
  const Unit* best = &units[0];
  for (const Unit& unit : units)
    if (amount != 0 && amount % unit.factor == 0) best = &unit;
  return std::to_string(amount / best->factor) + std::string(best->suffix);
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  auto amount = parse(text, kTimes, kLongest, kTimeForms);
  if (!amount) return tl::unexpected<Error>(std::move(amount).error());
  return std::chrono::milliseconds(static_cast<std::int64_t>(*amount));
}

Result<std::uint64_t> parse_size(std::string_view text) { return parse(text, kSizes, kBiggest, kSizeForms); }

Result<std::uint64_t> parse_count(std::string_view text) {
  constexpr std::array<Unit, 1> kPlain{{{"", 1}}};
  return parse(text, kPlain, kMost, kCountForms);
}

std::string format_duration(std::chrono::milliseconds value) {
  return format(static_cast<std::uint64_t>(value.count()), kTimes);
}

std::string format_size(std::uint64_t bytes) { return format(bytes, kSizes); }

}  // namespace pinfold::units
