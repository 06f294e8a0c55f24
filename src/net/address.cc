// address.cc: text, socket addresses, and the table of ranges that are not the public internet.
// Invariant: what the table does not know is public; so the table errs on the side of knowing.
#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace pinfold::net {
namespace {

struct Row {
  const char* network;
  unsigned prefix;
  Range range;
};

// The first row that matches counts: metadata services before the ranges they lie in.
constexpr Row kRows[] = {
    {"169.254.169.254", 32, Range::kMetadata},
    {"168.63.129.16", 32, Range::kMetadata},  // a cloud's host agent, in public space
    {"100.100.100.200", 32, Range::kMetadata},
    {"0.0.0.0", 8, Range::kReserved},  // the kernel takes 0.0.0.0 for loopback
    {"10.0.0.0", 8, Range::kPrivate},
    {"100.64.0.0", 10, Range::kPrivate},
    {"127.0.0.0", 8, Range::kLoopback},
    {"169.254.0.0", 16, Range::kLinkLocal},
    {"172.16.0.0", 12, Range::kPrivate},
    {"192.0.0.0", 24, Range::kReserved},
    {"192.0.2.0", 24, Range::kReserved},
    {"192.88.99.0", 24, Range::kReserved},
    {"192.168.0.0", 16, Range::kPrivate},
    {"198.18.0.0", 15, Range::kReserved},  // our own synthetic addresses, too
    {"198.51.100.0", 24, Range::kReserved},
    {"203.0.113.0", 24, Range::kReserved},
    {"224.0.0.0", 4, Range::kMulticast},
    {"240.0.0.0", 4, Range::kReserved},
    {"fd00:ec2::254", 128, Range::kMetadata},
    {"::1", 128, Range::kLoopback},
    {"::", 128, Range::kReserved},
    {"64:ff9b:1::", 48, Range::kPrivate},  // NAT64 of a site: where the IPv4 address is depends on the site
    {"100::", 64, Range::kReserved},
    {"2001::", 32, Range::kReserved},  // Teredo
    {"2001:db8::", 32, Range::kReserved},
    {"fc00::", 7, Range::kPrivate},
    {"fe80::", 10, Range::kLinkLocal},
    {"fec0::", 10, Range::kPrivate},
    {"ff00::", 8, Range::kMulticast},
};

// Where IPv6 networks keep an IPv4 address.
struct Embedding {
  const char* network;
  unsigned prefix;
  std::size_t offset;
};
constexpr Embedding kEmbeddings[] = {
    {"::ffff:0:0", 96, 12}, {"64:ff9b::", 96, 12}, {"::", 96, 12}, {"::ffff:0:0:0", 96, 12}, {"2002::", 16, 2},
};

struct Network {
  Address address;
  unsigned prefix;
  Range range;
};

const std::array<Network, std::size(kRows)>& networks() {
  static const auto table = [] {
    std::array<Network, std::size(kRows)> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = Network{*Address::parse(kRows[i].network), kRows[i].prefix, kRows[i].range};
    return made;
  }();
  return table;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
  // inet_pton reads up to a NUL: "127.0.0.1\0x" must not pass.
  if (text.size() > 45 || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::string zero_ended(text);
  Address made;
  if (::inet_pton(AF_INET, zero_ended.c_str(), made.bytes_.data()) == 1) return made;
  made.family_ = Family::kV6;
  if (::inet_pton(AF_INET6, zero_ended.c_str(), made.bytes_.data()) == 1) return made;
  return std::nullopt;
}

Address Address::v4(std::uint32_t host_order) {
  Address made;
  std::uint32_t network = htonl(host_order);
  std::memcpy(made.bytes_.data(), &network, sizeof network);
  return made;
}

Address Address::v6(const std::array<std::uint8_t, 16>& bytes) {
  Address made;
  made.family_ = Family::kV6;
  made.bytes_ = bytes;
  return made;
}

std::optional<Address> Address::from(const sockaddr_storage& storage) {
  Address made;
  if (storage.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &storage, sizeof in);
    return v4(ntohl(in.sin_addr.s_addr));
  }
  if (storage.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in6{};
  std::memcpy(&in6, &storage, sizeof in6);
  made.family_ = Family::kV6;
  std::memcpy(made.bytes_.data(), &in6.sin6_addr, 16);
  return made;
}

std::uint32_t Address::v4_bits() const {
  std::uint32_t network = 0;
  std::memcpy(&network, bytes_.data(), sizeof network);
  return ntohl(network);
}

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  ::inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), buffer.data(), buffer.size());
  return buffer.data();
}

socklen_t Address::put(std::uint16_t port, sockaddr_storage& storage) const {
  storage = {};
  if (is_v4()) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, bytes_.data(), 4);
    std::memcpy(&storage, &in, sizeof in);
    return sizeof in;
  }
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(port);
  std::memcpy(&in6.sin6_addr, bytes_.data(), 16);
  std::memcpy(&storage, &in6, sizeof in6);
  return sizeof in6;
}

bool Address::within(const Address& network, unsigned prefix) const {
  if (family_ != network.family_) return false;
  std::size_t whole = std::min<std::size_t>(prefix / 8, is_v4() ? 4 : 16);
  if (!std::equal(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(whole), network.bytes_.begin()))
    return false;
  unsigned rest = prefix % 8;
  if (rest == 0 || whole >= 16) return true;
  return ((bytes_[whole] ^ network.bytes_[whole]) >> (8 - rest)) == 0;
}

std::string with_port(const Address& address, std::uint16_t port) {
  std::string text = address.is_v4() ? address.text() : "[" + address.text() + "]";
  return text + ":" + std::to_string(port);
}

Range range_of(const Address& address) {
  for (const Network& row : networks())
    if (address.within(row.address, row.prefix)) return row.range;
  if (address.is_v4()) return Range::kPublic;
  for (const Embedding& each : kEmbeddings) {
    if (!address.within(*Address::parse(each.network), each.prefix)) continue;
    const auto& bytes = address.bytes();
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) bits = (bits << 8) | bytes[each.offset + i];
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
