// address.h: an internet address for sockets, and its range.
// Invariant: an IPv4-mapped address is the IPv4 address, from any source; an address that embeds another one is
// checked by both. Not here: text and prefixes (base/address.h), names, resolving, which ranges a policy allows.
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.h"

namespace pinfold::net {

class Address {
 public:
  using Family = pinfold::Family;

  Address() = default;
  explicit Address(const IpAddress& ip) : ip_(unmapped(ip)) {}
  static std::optional<Address> parse(std::string_view text);
  static Address v4(std::uint32_t host_order);
  static Address v6(const std::array<std::uint8_t, 16>& bytes);
  static std::optional<Address> from(const sockaddr_storage& storage);

  const IpAddress& ip() const { return ip_; }
  Family family() const { return ip_.family; }
  bool is_v4() const { return ip_.family == Family::kV4; }
  std::uint32_t v4_bits() const;
  const std::array<std::uint8_t, 16>& bytes() const { return ip_.bytes; }  // of v4 the first four
  std::string text() const { return print_address(ip_); }
  socklen_t put(std::uint16_t port, sockaddr_storage& storage) const;
  bool within(const Address& network, unsigned prefix) const;

  auto operator<=>(const Address&) const = default;

 private:
  IpAddress ip_;
};

// "10.0.0.1:80", "[::1]:80"
std::string with_port(const Address& address, std::uint16_t port);

enum class Range { kPublic, kLoopback, kLinkLocal, kPrivate, kMulticast, kMetadata, kReserved };

// For IPv4 in IPv6 (translated, compatible, NAT64, 6to4) the range of the address inside, unless that is public.
Range range_of(const Address& address);
// "a private address"
std::string_view words_for(Range range);

}  // namespace pinfold::net
