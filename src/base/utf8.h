// utf8.h: strict UTF-8 decoding, one code point at a time.
// Invariant: never reads past the end; overlong forms, surrogates and values above U+10FFFF are invalid.
// Not here: handling invalid bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace pinfold {

struct CodePoint {
  char32_t code = 0;
  std::size_t length = 0;  // bytes; 0 when the byte at the position starts no valid character
};

inline CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - at < length) return {};
  char32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte(at + i);
    if ((next & 0xC0u) != 0x80u) return {};
    code = (code << 6) | (next & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return {};
  return {code, length};
}

// The longest beginning of at most `bytes` bytes that cuts no character in two.
inline std::string_view utf8_head(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0u) == 0x80u) --bytes;
  return text.substr(0, bytes);
}

inline bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    if (next.length == 0) return false;
    at += next.length;
  }
  return true;
}

}  // namespace pinfold
