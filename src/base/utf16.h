// utf16.h: UTF-8 to UTF-16 and back, strictly.
// Invariant: malformed text gives no result, never a replacement character: two names must not become one.
// Not here: Windows (its wchar_t is a char16_t; the casts are in the code that calls it).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace pinfold {

inline std::optional<std::u16string> to_utf16(std::string_view text) {
  std::u16string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    if (next.length == 0) return std::nullopt;
    at += next.length;
    if (next.code < 0x10000) {
      out += static_cast<char16_t>(next.code);
    } else {
      out += static_cast<char16_t>(0xD800 + ((next.code - 0x10000) >> 10U));
      out += static_cast<char16_t>(0xDC00 + ((next.code - 0x10000) & 0x3FFU));
    }
  }
  return out;
}

inline std::optional<std::string> to_utf8(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    char32_t code = text[at];
    if (code >= 0xD800 && code <= 0xDFFF) {
      const bool pair = code < 0xDC00 && at + 1 < text.size() && text[at + 1] >= 0xDC00 && text[at + 1] <= 0xDFFF;
      if (!pair) return std::nullopt;
      code = 0x10000 + ((code - 0xD800) << 10U) + (text[++at] - 0xDC00U);
    }
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += {static_cast<char>(0xC0U | (code >> 6U)), static_cast<char>(0x80U | (code & 0x3FU))};
    } else if (code < 0x10000) {
      out += {static_cast<char>(0xE0U | (code >> 12U)), static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)),
              static_cast<char>(0x80U | (code & 0x3FU))};
    } else {
      out += {static_cast<char>(0xF0U | (code >> 18U)), static_cast<char>(0x80U | ((code >> 12U) & 0x3FU)),
              static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)), static_cast<char>(0x80U | (code & 0x3FU))};
    }
  }
  return out;
}

}  // namespace pinfold
