// rule.h: a rule, its input (Spot) and its result (Match).
// Invariant: a rule sees a bounded piece of text around one position, so its result does not depend on how the text is
// split. Not here: the rules (rules.h), the scan (redactor.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pinfold::redaction {

enum class Group : std::uint8_t { kSecret, kPersonal };

struct Rule {
  std::string_view name;  // as in "[redacted: NAME]"
  Group group;
  std::string_view what;
  // The redacted part is between « and »; `no` stays as it is. «a:N» is N bytes of a kind, see rules_test.cc.
  std::string_view yes = {};
  std::string_view no = {};
};

inline constexpr std::size_t kBehind = 384;  // the most bytes that a rule sees before its position
inline constexpr std::size_t kAhead = 768;   // and after it

struct Spot {
  std::string_view behind;  // ends at the position
  std::string_view ahead;   // begins there

  char before() const { return behind.empty() ? '\0' : behind.back(); }
  // The text between the last line end and the position.
  std::string_view line() const {
    const std::size_t end = behind.rfind('\n');
    return end == std::string_view::npos ? behind : behind.substr(end + 1);
  }
  Spot from(std::size_t offset) const {  // the same piece of text, from a later position
    return {{behind.data(), behind.size() + offset}, ahead.substr(offset)};
  }
};

// How a match continues after the bytes of the Spot.
enum class Tail : std::uint8_t { kNone, kRun, kBlock };

struct Match {
  const Rule* rule = nullptr;
  std::ptrdiff_t begin = 0;  // relative to the position; may be negative
  std::ptrdiff_t end = 0;
  Tail tail = Tail::kNone;
};
using OptionalMatch = std::optional<Match>;

inline OptionalMatch found(const Rule& rule, std::size_t begin, std::size_t end, Tail tail = Tail::kNone) {
  if (end <= begin) return std::nullopt;
  return Match{&rule, static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(end), tail};
}

}  // namespace pinfold::redaction
