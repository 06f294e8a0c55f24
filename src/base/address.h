// address.h: parses and prints IP addresses and prefixes, with one spelling for each.
// Invariant: IPv4 is four decimal numbers without leading zeros and nothing else; an IPv4-mapped IPv6 address is the
// IPv4 address; there are no zones. A printed address parses to the same address.
// Not here: names and rules (domain.h), sockets.
#pragma once

#include <string>
#include <string_view>

#include "pinfold/network.h"
#include "pinfold/result.h"

namespace pinfold {

// "10.1.2.3", "2001:db8::1", "::ffff:10.1.2.3"; without brackets.
Result<IpAddress> parse_address(std::string_view text);
std::string print_address(const IpAddress& address);
// An IPv4-mapped IPv6 address becomes the IPv4 address; others are unchanged.
IpAddress unmapped(const IpAddress& address);

struct Prefix {
  IpAddress address;
  int bits = 0;
};
// "10.0.0.0/8", "fd00::/8", or an address by itself. A set bit outside the prefix is an error.
Result<Prefix> parse_prefix(std::string_view text);
std::string print_prefix(const Prefix& prefix);

int whole(Family family);  // 32 or 128
bool covers(const Prefix& prefix, const IpAddress& address);
bool covers(const Prefix& outer, const Prefix& inner);
bool overlap(const Prefix& a, const Prefix& b);

// 127.0.0.1 or ::1: where a host's own services listen.
bool is_localhost(const IpAddress& address);

}  // namespace pinfold
