// ascii.h: letters, names and case of ASCII, independent of the locale.
// Invariant: bytes above 127 are not letters and stay unchanged. Not here: Unicode.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace pinfold::advice {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

// `part` is lower-case already.
inline std::size_t find_any_case(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from > text.size()) return std::string_view::npos;
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), part.begin(), part.end(),
                                 [](char a, char b) { return lower(a) == b; });
  return found == text.end() && !part.empty() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}
inline bool has_any_case(std::string_view text, std::string_view part) {
  return find_any_case(text, part) != std::string_view::npos;
}

// Is `word` one of the words of `list`, which are apart by single blanks?
constexpr bool listed(std::string_view list, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace pinfold::advice
