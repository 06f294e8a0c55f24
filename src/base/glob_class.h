// glob_class.h: character classes in patterns ([a-z], [!x]), for matching and for conversion to regular expressions.
// Not here: the rest of a pattern (glob.h).
#pragma once

#include <cstddef>
#include <string_view>

namespace pinfold::glob_class {

// The index after the "]" that closes the class opened at `at`, or npos.
inline std::size_t class_end(std::string_view text, std::size_t at) {
  std::size_t i = at + 1;
  if (i < text.size() && (text[i] == '!' || text[i] == '^')) ++i;
  if (i < text.size() && text[i] == ']') ++i;
  for (; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == ']')
      return i + 1;
  }
  return std::string_view::npos;
}

inline bool class_matches(std::string_view inside, char byte) {
  bool negated = false;
  std::size_t i = 0;
  if (i < inside.size() && (inside[i] == '!' || inside[i] == '^')) negated = true, ++i;
  bool hit = false;
  const auto value = static_cast<unsigned char>(byte);
  const auto take = [&] {
    if (inside[i] == '\\' && i + 1 < inside.size()) ++i;
    return static_cast<unsigned char>(inside[i++]);
  };
  while (i < inside.size()) {
    const unsigned char low = take();
    unsigned char high = low;
    if (i + 1 < inside.size() && inside[i] == '-') {
      ++i;
      high = take();
    }
    if (value >= low && value <= high) hit = true;
  }
  return hit != negated;
}

}  // namespace pinfold::glob_class
