// network_narrowing.cc: two lists compared at every point where the answer of either can change.
// Invariant: between these points both answers stay the same: they are each name in a rule, one name below each that
// no rule can name, localhost, and the first address of each range and the first behind it.
// Not here: matching a rule (base/domain_decide.cc).
#include "policy/network_narrowing.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/address.h"
#include "base/domain.h"

namespace pinfold::policy {
namespace {

// No rule can have this label, so no rule can match the name that represents all other names.
constexpr const char* kAnyLabel = "*";

// The first address behind a prefix, or nothing behind the last.
std::optional<IpAddress> behind(const DomainRule& rule) {
  IpAddress out = rule.address;
  for (int bit = rule.prefix - 1; bit >= 0; --bit) {
    auto& byte = out.bytes[static_cast<std::size_t>(bit / 8)];
    const auto mask = static_cast<std::uint8_t>(1U << static_cast<unsigned>(7 - bit % 8));
    byte = static_cast<std::uint8_t>(byte ^ mask);
    if ((byte & mask) != 0) return out;  // no carry
  }
  return std::nullopt;
}

class Points {
 public:
  void take(const std::vector<DomainRule>& rules) {
    for (const DomainRule& rule : rules) {
      switch (rule.kind) {
        case DomainKind::kWildcard:
          names.insert(std::string(kAnyLabel) + "." + rule.name);
          names.insert(rule.name);
          break;
        case DomainKind::kName: names.insert(rule.name); break;
        case DomainKind::kHostLoopback: names.insert("localhost"); break;
        case DomainKind::kAddress:
          addresses.insert(rule.address);
          if (const auto next = behind(rule)) addresses.insert(*next);
      }
    }
  }
  std::set<std::string> names;
  std::set<IpAddress> addresses;
};

// Is the rule's own text the best name for this point?
bool stands_for(const DomainRule& rule, const Host& point) {
  if (const auto* address = std::get_if<IpAddress>(&point)) return *address == rule.address;
  const auto& name = std::get<std::string>(point);
  if (rule.kind == DomainKind::kWildcard) return name == std::string(kAnyLabel) + "." + rule.name;
  return true;
}

class Comparison {
 public:
  Comparison(const std::vector<DomainRule>& own, const std::vector<DomainRule>& requested)
      : own_(own), requested_(requested) {}

  template <typename To>
  void at(const To& to) {
    for (const std::uint16_t port : granted_ports(requested_, to)) {
      const DomainDecision before = decide(own_, to, port);
      if (before.allowed) continue;
      const DomainRule& rule = *decide(requested_, to, port).rule;
      std::string what = stands_for(rule, Host(to)) ? print_rule(rule) : print_host(Host(to), port);
      if (!reported_.insert(what).second) continue;
      out.push_back({std::move(what), before.rule == nullptr ? "not in your list" : before.reason, rule.origin});
    }
  }

  std::vector<NetworkWidening> out;

 private:
  const std::vector<DomainRule>& own_;
  const std::vector<DomainRule>& requested_;
  std::set<std::string> reported_;
};

}  // namespace

std::vector<NetworkWidening> network_widenings(const std::vector<DomainRule>& own,
                                               const std::vector<DomainRule>& requested) {
  Points points;
  points.take(own);
  points.take(requested);
  Comparison comparison(own, requested);
  for (const std::string& name : points.names) comparison.at(name);
  for (const IpAddress& address : points.addresses) comparison.at(address);
  return std::move(comparison.out);
}

}  // namespace pinfold::policy
