// address.h: an internet address as a value, and the range that it lies in.
// Invariant: strict text only ("127.1" and "0x7f.1" are no addresses); an address that carries another one is judged by
// both. Not here: names, resolving, which ranges a policy allows.
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pinfold::net {

class Address {
 public:
  enum class Family : std::uint8_t { kV4, kV6 };

  static std::optional<Address> parse(std::string_view text);
  static Address v4(std::uint32_t host_order);
  static Address v6(const std::array<std::uint8_t, 16>& bytes);
  static std::optional<Address> from(const sockaddr_storage& storage);

  Family family() const { return family_; }
  bool is_v4() const { return family_ == Family::kV4; }
  std::uint32_t v4_bits() const;
  const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }  // of v4 the first four
  std::string text() const;
  socklen_t put(std::uint16_t port, sockaddr_storage& storage) const;
  bool within(const Address& network, unsigned prefix) const;

  auto operator<=>(const Address&) const = default;

 private:
  Family family_ = Family::kV4;
  std::array<std::uint8_t, 16> bytes_{};
};

// "10.0.0.1:80", "[::1]:80"
std::string with_port(const Address& address, std::uint16_t port);

enum class Range { kPublic, kLoopback, kLinkLocal, kPrivate, kMulticast, kMetadata, kReserved };

// For IPv4 in IPv6 (mapped, compatible, NAT64, 6to4) the range of the address inside, unless that is public.
Range range_of(const Address& address);
// "a private address"
std::string_view words_for(Range range);

}  // namespace pinfold::net
