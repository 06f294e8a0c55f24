// network.h: network rules by name or address, as values.
// Invariant: a rule is canonical: names are lower-case A-labels without a trailing dot, an address has no bit set
// outside of its prefix, and an IPv4-mapped address is stored as IPv4. No OS header.
// Not here: reading, printing and matching rules (src/base/domain.h), the relay (src/net).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/origin.h"

namespace pinfold {

// The only name server in a sandbox with rules by name. It listens on the sandbox's own loopback, at the address that
// systemd-resolved uses, so that many programs expect it there.
inline constexpr std::string_view kNameServer = "127.0.0.53";
// Names get synthetic addresses from this range. RFC 2544 reserves it for benchmarks, so no public host has one.
inline constexpr std::string_view kMadeUpAddresses = "198.18.0.0/15";

// The ports of a rule that names none.
inline constexpr std::array<std::uint16_t, 2> kUsualPorts = {80, 443};

enum class Family : std::uint8_t { kV4, kV6 };

struct IpAddress {
  Family family = Family::kV4;
  std::array<std::uint8_t, 16> bytes{};  // network byte order; IPv4 uses the first four, the rest is 0
  auto operator<=>(const IpAddress&) const = default;
};

enum class DomainKind : std::uint8_t {
  kName,          // example.org without its subdomains
  kWildcard,      // *.example.org: every subdomain at any depth, but not example.org itself
  kAddress,       // 10.1.2.3, 10.0.0.0/8
  kHostLoopback,  // localhost: services on the host's 127.0.0.1 or ::1
};

enum class RuleAction : std::uint8_t { kAllow, kDeny };

struct DomainRule {
  DomainKind kind = DomainKind::kName;
  RuleAction action = RuleAction::kAllow;
  std::string name{};                  // kName; kWildcard: the part after "*."
  IpAddress address{};                 // kAddress
  int prefix = 0;                      // kAddress: prefix length in bits
  std::vector<std::uint16_t> ports{};  // ascending; empty (only with kDeny): every port
  Origin origin{};
};

// Fixed addresses of a name, which are used instead of a DNS query.
struct HostAddresses {
  std::string name;  // canonical
  std::vector<IpAddress> addresses;
  Origin origin{};
};

// Compares everything but the origin.
inline bool same_rule(const DomainRule& a, const DomainRule& b) {
  return a.kind == b.kind && a.action == b.action && a.name == b.name && a.address == b.address &&
         a.prefix == b.prefix && a.ports == b.ports;
}

}  // namespace pinfold
