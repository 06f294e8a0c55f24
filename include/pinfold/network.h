// network.h: what may be reached by name or by address, as values.
// Invariant: a rule is canonical: names are lower-case A-labels without a trailing dot, an address has no bit outside
// of its prefix, and an IPv4-mapped address is an IPv4 address. No OS header.
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

// The only name server that a sandbox with rules by name sees: an address of its own loopback, on which many programs
// know one already.
inline constexpr std::string_view kNameServer = "127.0.0.53";
// From which names get their made-up addresses: set aside for measurements (RFC 2544), so that nothing outside has one.
inline constexpr std::string_view kMadeUpAddresses = "198.18.0.0/15";

// What a name or an address without a port means.
inline constexpr std::array<std::uint16_t, 2> kUsualPorts = {80, 443};

enum class Family : std::uint8_t { kV4, kV6 };

struct IpAddress {
  Family family = Family::kV4;
  std::array<std::uint8_t, 16> bytes{};  // in the order of the network; IPv4 fills the first four, the rest is 0
  auto operator<=>(const IpAddress&) const = default;
};

enum class DomainKind : std::uint8_t {
  kName,          // example.org, and nothing below it
  kWildcard,      // *.example.org: any depth below, but not example.org itself
  kAddress,       // 10.1.2.3, 10.0.0.0/8
  kHostLoopback,  // localhost: what listens on the host's 127.0.0.1 or ::1
};

enum class Verdict : std::uint8_t { kAllow, kDeny };

struct DomainRule {
  DomainKind kind = DomainKind::kName;
  Verdict verdict = Verdict::kAllow;
  std::string name{};                  // kName; kWildcard: what stands behind "*."
  IpAddress address{};                 // kAddress
  int prefix = 0;                      // kAddress: how many bits of it count
  std::vector<std::uint16_t> ports{};  // ascending; empty only with kDeny, and then it means every port
  Origin origin{};
};

// What a name leads to, whatever name servers say: for hosts that only a private one knows.
struct HostAddresses {
  std::string name;  // canonical
  std::vector<IpAddress> addresses;
  Origin origin{};
};

// The same rule, wherever each came from.
inline bool same_rule(const DomainRule& a, const DomainRule& b) {
  return a.kind == b.kind && a.verdict == b.verdict && a.name == b.name && a.address == b.address &&
         a.prefix == b.prefix && a.ports == b.ports;
}

}  // namespace pinfold
