// byte_reader.h: reads big-endian numbers and byte ranges from a peer's bytes.
// Invariant: never reads past the end; after the first short read everything is empty and ok() stays false.
// Not here: the meaning of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pinfold::net {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline std::string_view as_text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  // Everything was read, and nothing was missing.
  bool finished() const { return ok_ && at_ == bytes_.size(); }
  std::size_t position() const { return at_; }
  std::size_t left() const { return ok_ ? bytes_.size() - at_ : 0; }

  ByteView take(std::size_t count) {
    if (count > left()) {
      ok_ = false;
      return {};
    }
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u24() { return number(3); }
  std::uint32_t u32() { return number(4); }
  // A piece that follows its own length.
  ByteView after_u8() { return take(u8()); }
  ByteView after_u16() { return take(u16()); }

 private:
  std::uint32_t number(std::size_t width) {
    std::uint32_t value = 0;
    for (const std::uint8_t byte : take(width)) value = value << 8U | byte;
    return value;
  }

  ByteView bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace pinfold::net
