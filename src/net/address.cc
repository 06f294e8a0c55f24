// address.cc: socket addresses, and the table of ranges that are not the public internet.
// Invariant: an address that is not in the table is public, so the table is as complete as possible.
#include "net/address.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace pinfold::net {
namespace {

struct Row {
  const char* network;
  Range range;
};

// The first row that matches counts: metadata services before the ranges they lie in.
constexpr Row kRows[] = {
    {"169.254.169.254", Range::kMetadata},
    {"168.63.129.16", Range::kMetadata},  // a cloud's host agent, in public space
    {"100.100.100.200", Range::kMetadata},
    {"0.0.0.0/8", Range::kReserved},  // the kernel takes 0.0.0.0 for loopback
    {"10.0.0.0/8", Range::kPrivate},
    {"100.64.0.0/10", Range::kPrivate},
    {"127.0.0.0/8", Range::kLoopback},
    {"169.254.0.0/16", Range::kLinkLocal},
    {"172.16.0.0/12", Range::kPrivate},
    {"192.0.0.0/24", Range::kReserved},
    {"192.0.2.0/24", Range::kReserved},
    {"192.88.99.0/24", Range::kReserved},
    {"192.168.0.0/16", Range::kPrivate},
    {"198.18.0.0/15", Range::kReserved},  // our own synthetic addresses, too
    {"198.51.100.0/24", Range::kReserved},
    {"203.0.113.0/24", Range::kReserved},
    {"224.0.0.0/4", Range::kMulticast},
    {"240.0.0.0/4", Range::kReserved},
    {"fd00:ec2::254", Range::kMetadata},
    {"::1", Range::kLoopback},
    {"::", Range::kReserved},
    {"64:ff9b:1::/48", Range::kPrivate},  // NAT64 of a site: where the IPv4 address is depends on the site
    {"100::/64", Range::kReserved},
    {"2001::/32", Range::kReserved},  // Teredo
    {"2001:db8::/32", Range::kReserved},
    {"fc00::/7", Range::kPrivate},
    {"fe80::/10", Range::kLinkLocal},
    {"fec0::/10", Range::kPrivate},
    {"ff00::/8", Range::kMulticast},
};

// Where IPv6 networks keep an IPv4 address. (A mapped one is IPv4 already.)
struct Embedding {
  const char* network;
  std::size_t offset;
};
constexpr Embedding kEmbeddings[] = {
    {"64:ff9b::/96", 12},
    {"::/96", 12},
    {"::ffff:0:0:0/96", 12},
    {"2002::/16", 2},
};

template <typename Any, std::size_t kCount>
std::array<Prefix, kCount> prefixes(const Any (&rows)[kCount]) {
  std::array<Prefix, kCount> made{};
  for (std::size_t i = 0; i < kCount; ++i) made[i] = *parse_prefix(rows[i].network);
  return made;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
  auto parsed = parse_address(text);
  return parsed ? std::optional(Address(*parsed)) : std::nullopt;
}

Address Address::v4(std::uint32_t host_order) {
  Address made;
  std::uint32_t network = htonl(host_order);
  std::memcpy(made.ip_.bytes.data(), &network, sizeof network);
  return made;
}

Address Address::v6(const std::array<std::uint8_t, 16>& bytes) { return Address(IpAddress{Family::kV6, bytes}); }

std::optional<Address> Address::from(const sockaddr_storage& storage) {
  if (storage.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &storage, sizeof in);
    return v4(ntohl(in.sin_addr.s_addr));
  }
  if (storage.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in6{};
  std::memcpy(&in6, &storage, sizeof in6);
  return v6(std::to_array(in6.sin6_addr.s6_addr));
}

std::uint32_t Address::v4_bits() const {
  std::uint32_t network = 0;
  std::memcpy(&network, ip_.bytes.data(), sizeof network);
  return ntohl(network);
}

socklen_t Address::put(std::uint16_t port, sockaddr_storage& storage) const {
  storage = {};
  if (is_v4()) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, ip_.bytes.data(), 4);
    std::memcpy(&storage, &in, sizeof in);
    return sizeof in;
  }
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(port);
  std::memcpy(&in6.sin6_addr, ip_.bytes.data(), 16);
  std::memcpy(&storage, &in6, sizeof in6);
  return sizeof in6;
}

bool Address::within(const Address& network, unsigned prefix) const {
  return covers(Prefix{network.ip_, static_cast<int>(std::min(prefix, 128U))}, ip_);
}

std::string with_port(const Address& address, std::uint16_t port) {
  std::string text = address.is_v4() ? address.text() : "[" + address.text() + "]";
  return text + ":" + std::to_string(port);
}

Range range_of(const Address& address) {
  static const auto kNetworks = prefixes(kRows);
  static const auto kCarriers = prefixes(kEmbeddings);
  for (std::size_t i = 0; i < kNetworks.size(); ++i)
    if (covers(kNetworks[i], address.ip())) return kRows[i].range;
  for (std::size_t i = 0; i < kCarriers.size(); ++i) {
    if (!covers(kCarriers[i], address.ip())) continue;
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4; ++k) bits = (bits << 8) | address.bytes()[kEmbeddings[i].offset + k];
    return range_of(Address::v4(bits));
  }
  return Range::kPublic;
}

std::string_view words_for(Range range) {
  switch (range) {
    case Range::kPublic: return "a public address";
    case Range::kLoopback: return "a loopback address";
    case Range::kLinkLocal: return "a link-local address";
    case Range::kPrivate: return "a private address";
    case Range::kMulticast: return "a multicast address";
    case Range::kMetadata: return "the address of a cloud's metadata service";
    case Range::kReserved: return "a reserved address";
  }
  return "";
}

}  // namespace pinfold::net
