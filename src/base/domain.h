// domain.h: names of hosts and the rules about them: reading, printing, deciding.
// Invariant: a name has one canonical spelling; text without one is refused. decide() makes every decision about the
// network: in `policy why`, in narrowing and in the relay.
// Not here: addresses as text (address.h), letters beyond ASCII (idna.h), DNS, sockets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pinfold/network.h"
#include "pinfold/result.h"

namespace pinfold {

// Lower case, A-labels, no trailing dot. Refuses text that some programs read as an address (127.1, 0x7f.1).
Result<std::string> canonical_name(std::string_view text);

// A name or an address; IPv6 with or without brackets.
using Host = std::variant<std::string, IpAddress>;
Result<Host> parse_host(std::string_view text);

// "api.github.com", "*.example.org:443", "localhost:5432", "10.0.0.0/8:22", "[fd00::/8]:22", each with "!" in front to
// deny it. Without a port: 80 and 443; a denial without one: every port.
Result<DomainRule> parse_rule(std::string_view text, Origin origin);
// parse_rule() reads the result back as the same rule.
std::string print_rule(const DomainRule& rule);

// "db.internal=10.1.2.3,fd00::3", as in a policy.
std::string print_hosts(const HostAddresses& hosts);

struct DomainDecision {
  bool allowed = false;
  const DomainRule* rule = nullptr;  // the rule that decided; else the nearest that does not match, or null
  std::string reason;                // "*.example.org (pinfold.toml:3:12)"
  std::string allow_with;            // the flags that allow it; empty if it is allowed
};

// The most specific rule that matches decides: a name before a wildcard, a longer wildcard before a shorter one, a
// longer prefix before a shorter one; between rules for the same, the denial. `name` is canonical.
DomainDecision decide(const std::vector<DomainRule>& rules, std::string_view name, std::uint16_t port);
DomainDecision decide(const std::vector<DomainRule>& rules, const IpAddress& address, std::uint16_t port);

// The ports on which a name, or an address, is allowed, ascending; empty: none.
std::vector<std::uint16_t> granted_ports(const std::vector<DomainRule>& rules, std::string_view name);
std::vector<std::uint16_t> granted_ports(const std::vector<DomainRule>& rules, const IpAddress& address);

// "example.org:443", "[::1]:80", as in a rule.
std::string print_host(const Host& host, std::uint16_t port);

}  // namespace pinfold
