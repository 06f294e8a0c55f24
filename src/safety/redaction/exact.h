// exact.h: finds given values, verbatim and in their common encodings.
// Invariant: finds every occurrence; two bytes rule out nearly every position.
// Not here: the replacement (redactor.cc).
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pinfold::redaction {

class ExactValues {
 public:
  static constexpr std::size_t kShortest = 4;     // a shorter value would take out half of any text
  static constexpr std::size_t kLongest = 16384;  // the rest of a longer one is not looked for

  // False: too short.
  bool add(std::string_view name, std::string_view value);
  bool empty() const { return patterns_.empty(); }
  std::size_t longest() const { return longest_; }

  struct Hit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t value = 0;  // which one, in the order of add()
  };
  // The first that begins in [from, until).
  std::optional<Hit> next(std::string_view text, std::size_t from, std::size_t until) const;
  const std::string& name(std::size_t value) const { return names_[value]; }

 private:
  struct Pattern {
    std::string text;
    std::size_t value;
  };
  void add_pattern(std::string text, std::size_t least);

  std::vector<std::string> names_;
  std::vector<Pattern> patterns_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> by_start_;  // the first four bytes; longest first
  std::bitset<65536> starts_;                                             // the first two
  std::size_t longest_ = 0;
};

}  // namespace pinfold::redaction
