// chars.h: a table of byte classes.
// Invariant: ASCII only; a byte of a multi-byte character has no class.
// Not here: words, names, numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pinfold::redaction {

using Kinds = std::uint16_t;
inline constexpr Kinds kLower = 1;
inline constexpr Kinds kUpper = 2;
inline constexpr Kinds kDigit = 4;
inline constexpr Kinds kHexLower = 8;    // a-f
inline constexpr Kinds kHexUpper = 16;   // A-F
inline constexpr Kinds kDash = 32;       // - and _
inline constexpr Kinds kPlusSlash = 64;  // + and /
inline constexpr Kinds kEqual = 128;
inline constexpr Kinds kDotTilde = 256;  // . and ~
inline constexpr Kinds kBlank = 512;     // blank and tab
inline constexpr Kinds kNewline = 1024;
inline constexpr Kinds kQuote = 2048;  // " ' `
inline constexpr Kinds kColon = 4096;

inline constexpr Kinds kLetter = kLower | kUpper;
inline constexpr Kinds kAlnum = kLetter | kDigit;
inline constexpr Kinds kHex = kDigit | kHexLower | kHexUpper;
inline constexpr Kinds kLowerHex = kDigit | kHexLower;
inline constexpr Kinds kUpperAlnum = kUpper | kDigit;
inline constexpr Kinds kLowerAlnum = kLower | kDigit;
inline constexpr Kinds kName = kAlnum | kDash;
inline constexpr Kinds kBase64 = kAlnum | kPlusSlash;
inline constexpr Kinds kBase64Url = kName;
inline constexpr Kinds kToken = kName | kPlusSlash | kEqual | kDotTilde;
inline constexpr Kinds kSpace = kBlank | kNewline;

inline constexpr std::array<Kinds, 256> kKinds = [] {
  std::array<Kinds, 256> out{};
  const auto add = [&](std::string_view chars, Kinds kind) {
    for (const char c : chars)
      out[static_cast<unsigned char>(c)] = static_cast<Kinds>(out[static_cast<unsigned char>(c)] | kind);
  };
  add("abcdefghijklmnopqrstuvwxyz", kLower);
  add("ABCDEFGHIJKLMNOPQRSTUVWXYZ", kUpper);
  add("0123456789", kDigit);
  add("abcdef", kHexLower);
  add("ABCDEF", kHexUpper);
  add("-_", kDash);
  add("+/", kPlusSlash);
  add("=", kEqual);
  add(".~", kDotTilde);
  add(" \t", kBlank);
  add("\r\n", kNewline);
  add("\"'`", kQuote);
  add(":", kColon);
  return out;
}();

constexpr bool is(char c, Kinds kinds) { return (kKinds[static_cast<unsigned char>(c)] & kinds) != 0; }
constexpr char lower(char c) { return is(c, kUpper) ? static_cast<char>(c - 'A' + 'a') : c; }

// The same for capitals and small letters.
constexpr std::size_t five_bits(char c) { return static_cast<unsigned char>(c) & 31U; }
// A number for three bytes, of five bits each.
constexpr std::size_t three_letters(char a, char b, char c) {
  return five_bits(a) << 10U | five_bits(b) << 5U | five_bits(c);
}

// The byte there, or NUL beyond the end.
constexpr char byte_at(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

constexpr std::size_t run_of(std::string_view text, std::size_t at, Kinds kinds) {
  std::size_t end = at;
  while (end < text.size() && is(text[end], kinds)) ++end;
  return end - at;
}
// Where the first byte of these kinds is, or the end.
constexpr std::size_t find_kind(std::string_view text, std::size_t at, Kinds kinds) {
  while (at < text.size() && !is(text[at], kinds)) ++at;
  return std::min(at, text.size());
}
// How many bytes at the end of `text` are of these kinds.
constexpr std::size_t run_back(std::string_view text, Kinds kinds) {
  std::size_t count = 0;
  while (count < text.size() && is(text[text.size() - 1 - count], kinds)) ++count;
  return count;
}

constexpr bool all_of(std::string_view text, Kinds kinds) { return run_of(text, 0, kinds) == text.size(); }
constexpr bool any_of(std::string_view text, Kinds kinds) {
  return std::any_of(text.begin(), text.end(), [=](char c) { return is(c, kinds); });
}
constexpr std::size_t count_of(std::string_view text, Kinds kinds) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [=](char c) { return is(c, kinds); }));
}

// `small` is in small letters.
constexpr bool starts_like(std::string_view text, std::string_view small) {
  if (text.size() < small.size()) return false;
  for (std::size_t i = 0; i < small.size(); ++i)
    if (lower(text[i]) != small[i]) return false;
  return true;
}
constexpr bool same_letters(std::string_view text, std::string_view small) {
  return text.size() == small.size() && starts_like(text, small);
}
inline std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

}  // namespace pinfold::redaction
