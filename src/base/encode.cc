// encode.cc: UTF-8 by replacement, and base64.
#include "base/encode.h"

#include <cstdint>

#include "base/utf8.h"

namespace pinfold {

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint next = decode_utf8(bytes, at);
    if (next.length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
    } else {
      out.append(bytes.substr(at, next.length));
      at += next.length;
    }
  }
  return out;
}

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = (group << 8) | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += at + i > bytes.size() ? '=' : kAlphabet[(group >> (18 - 6 * i)) & 63u];
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::size_t padding = 0;
    if (at + 4 == text.size()) padding = text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t digit = i < 4 - padding ? kAlphabet.find(text[at + i]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      group = (group << 6) | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t i = 0; i < 3 - padding; ++i) out += static_cast<char>((group >> (16 - 8 * i)) & 0xFFu);
  }
  return out;
}

}  // namespace pinfold
