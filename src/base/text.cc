// text.cc: untrusted text made safe to show or to paste.
// Invariant: plain text is unchanged.
// Not here: JSON, terminals.
#include "base/text.h"

#include <cstddef>
#include <cstdint>

namespace pinfold::text {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void add_hex_byte(std::string& out, unsigned char byte) {
  out += "\\x";
  out += kHex[byte >> 4U];
  out += kHex[byte & 15U];
}

void add_code_point(std::string& out, std::uint32_t point) {
  out += "\\u{";
  bool started = false;
  for (int shift = 20; shift >= 0; shift -= 4) {
    const std::uint32_t digit = (point >> static_cast<unsigned>(shift)) & 15U;
    if (digit == 0 && !started && shift > 0) continue;
    started = true;
    out += kHex[digit];
  }
  out += '}';
}

// The length of a well-formed UTF-8 sequence at the start of `rest`, or 0; sets `point`.
std::size_t decode(std::string_view rest, std::uint32_t& point) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(rest[at]); };
  const unsigned char first = byte(0);
  std::size_t length = 0;
  std::uint32_t least = 0;
  if (first < 0x80) {
    point = first;
    return 1;
  }
  if ((first & 0xE0U) == 0xC0U)
    length = 2, least = 0x80, point = first & 0x1FU;
  else if ((first & 0xF0U) == 0xE0U)
    length = 3, least = 0x800, point = first & 0x0FU;
  else if ((first & 0xF8U) == 0xF0U)
    length = 4, least = 0x10000, point = first & 0x07U;
  else
    return 0;
  if (rest.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return 0;
    point = (point << 6U) | (byte(at) & 0x3FU);
  }
  if (point < least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return 0;
  return length;
}

// C1 controls, zero-width and bidi marks, line separators, tags, variation selectors: invisible or reordering.
bool deceives(std::uint32_t point) {
  return (point >= 0x80 && point < 0xA0) || point == 0xAD || point == 0x61C || point == 0x180E ||
         (point >= 0x200B && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF || (point >= 0xFFF9 && point <= 0xFFFB) ||
         (point >= 0xE0000 && point <= 0xE0FFF);
}

}  // namespace

std::string shown(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    std::uint32_t point = 0;
    const std::size_t length = decode(raw.substr(at), point);
    if (length == 0) {
      add_hex_byte(out, static_cast<unsigned char>(raw[at]));
      ++at;
      continue;
    }
    if (point == '\n')
      out += "\\n";
    else if (point == '\t')
      out += "\\t";
    else if (point == '\r')
      out += "\\r";
    else if (point < 0x20 || point == 0x7F)
      add_hex_byte(out, static_cast<unsigned char>(point));
    else if (deceives(point))
      add_code_point(out, point);
    else
      out += raw.substr(at, length);
    at += length;
  }
  return out;
}

std::string shell_word(std::string_view raw) {
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.,+@%:=-";
  if (!raw.empty() && raw.find_first_not_of(kSafe) == std::string_view::npos) return std::string(raw);
  if (shown(raw) == raw) {
    std::string out = "'";
    for (const char byte : raw) {
      if (byte == '\'')
        out += "'\\''";
      else
        out += byte;
    }
    return out + "'";
  }
  std::string out = "$'";
  for (const char byte : raw) {
    const auto value = static_cast<unsigned char>(byte);
    if (byte == '\'' || byte == '\\')
      out += '\\', out += byte;
    else if (value < 0x20 || value >= 0x7F)
      add_hex_byte(out, value);
    else
      out += byte;
  }
  return out + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

}  // namespace pinfold::text
