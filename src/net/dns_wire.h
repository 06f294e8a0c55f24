// dns_wire.h: parts that reading queries and writing answers share: header, flags, numbers.
// Not here: anything that users of dns_message.h need.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/dns_message.h"

namespace pinfold::net::dns {

constexpr std::size_t kHeaderSize = 12;
constexpr std::uint16_t kSmallestUdp = 512;
constexpr std::uint32_t kDnssecOk = 0x8000;  // in the TTL of OPT

namespace flag {
constexpr std::uint16_t kResponse = 0x8000;
constexpr std::uint16_t kOpcode = 0x7800;
constexpr std::uint16_t kTruncated = 0x0200;
constexpr std::uint16_t kRecursionDesired = 0x0100;
constexpr std::uint16_t kRecursionAvailable = 0x0080;
constexpr std::uint16_t kCheckingDisabled = 0x0010;
}  // namespace flag

struct Header {
  std::uint16_t id = 0;
  std::uint16_t flags = 0;
};

inline void put_u16(Bytes& out, std::uint16_t value) {
  out.push_back(static_cast<std::uint8_t>(value >> 8U));
  out.push_back(static_cast<std::uint8_t>(value & 0xffU));
}
inline void put_u32(Bytes& out, std::uint32_t value) {
  put_u16(out, static_cast<std::uint16_t>(value >> 16U));
  put_u16(out, static_cast<std::uint16_t>(value & 0xffffU));
}

// For a query whose question could not be read.
Bytes header_only(const Header& query, Rcode rcode);

}  // namespace pinfold::net::dns
