// check_sums.h: check sums over digits, shared by the checks of several countries.
// Invariant: `digits` holds only digits, and at least as many as there are weights.
// Not here: the checks of each number (checks.h).
#pragma once

#include <cstdint>
#include <initializer_list>

#include "safety/redaction/chars.h"

namespace pinfold::redaction {

constexpr int digit(char c) { return c - '0'; }
constexpr bool all_digits(std::string_view text, std::size_t size) {
  return text.size() == size && all_of(text, kDigit);
}

constexpr int weighted(std::string_view digits, std::initializer_list<int> weights) {
  int sum = 0;
  std::size_t i = 0;
  for (const int weight : weights) sum += weight * digit(digits[i++]);
  return sum;
}

// At most nine digits.
constexpr int number(std::string_view digits) {
  int out = 0;
  for (const char c : digits) out = out * 10 + digit(c);
  return out;
}

constexpr bool is_day(int month, int day) {
  return month >= 1 && month <= 12 && day >= 1 &&
         day <= (month == 2                                              ? 29
                 : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                         : 31);
}

}  // namespace pinfold::redaction
