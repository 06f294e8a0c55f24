// encode.cc: UTF-8 by replacement, and base64.
#include "base/encode.h"

#include <cstdint>

#include "base/utf8.h"

namespace pinfold {

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const Decoded next = decode_utf8(bytes, at);
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

std::string base64(std::string_view bytes) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = (group << 8) | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += at + i > bytes.size() ? '=' : kAlphabet[(group >> (18 - 6 * i)) & 63u];
  }
  return out;
}

}  // namespace pinfold
