// host_text.h: a host as a peer wrote it (SNI, Host, a DNS question), in canonical form.
// Invariant: two hosts are the same exactly if they are equal; an ambiguous text is refused, not repaired.
// Not here: rules and U-labels (src/base/domain.h): names on the wire are ASCII already.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pinfold::net {

struct HostText {
  enum class Kind { kName, kIpv4, kIpv6 };
  Kind kind = Kind::kName;
  // A name: lower case, no trailing dot. An address: as base/address.h prints it, no brackets; IPv4-mapped IPv6 is
  // IPv4.
  std::string text;

  bool operator==(const HostText&) const = default;
};

struct HostPort {
  HostText host;
  std::optional<std::uint16_t> port;

  bool operator==(const HostPort&) const = default;
};

// Labels of 1 to 63 letters, digits, '-' and '_', 253 characters in all, one trailing dot dropped. A last label that is
// a number (127.1, 2130706433, 0x7f.1) makes no name: programs parse it as an address, and not all as the same one.
std::optional<std::string> canonical_wire_name(std::string_view text);

// A name or a strict dotted quad, as in SNI.
std::optional<HostText> parse_host(std::string_view text);

// host[:port], where host may also be [IPv6] without a zone, as in Host and in the authority of a URL. User names,
// percent signs, empty ports, port 0 and leading zeros are refused.
std::optional<HostPort> parse_host_port(std::string_view text);

}  // namespace pinfold::net
