// domain_rules.cc: calls base/domain.h.
#include "net/domain_rules.h"

#include "base/domain.h"
#include "base/name_flags.h"

namespace pinfold::net {
namespace {

Decision decision(DomainDecision made) {
  auto outcome = made.allowed ? Decision::Outcome::kAllowed : Decision::Outcome::kDenied;
  return {outcome, std::move(made.reason), std::move(made.allow_with)};
}

}  // namespace

// A DNS query has no port: a name without granted ports is decided by the most usual one, and its flag names no port.
Decision DomainRules::decide(std::string_view name) const {
  auto ports = granted_ports(rules_, name);
  if (!ports.empty()) return decide(name, ports.front());
  Decision answer = decide(name, kUsualPorts.back());
  const std::string flag = "--net " + std::string(name) + ":" + std::to_string(kUsualPorts.back());
  if (answer.allow_with.ends_with(flag))
    answer.allow_with.replace(answer.allow_with.size() - flag.size(), flag.size(), flags_for_name(name));
  return answer;
}

Decision DomainRules::decide(std::string_view name, std::uint16_t port) const {
  return decision(pinfold::decide(rules_, name, port));
}

Decision DomainRules::decide(const Address& address, std::uint16_t port) const {
  return decision(pinfold::decide(rules_, address.ip(), port));
}

std::vector<std::uint16_t> DomainRules::ports(std::string_view name) const { return granted_ports(rules_, name); }

std::vector<AddressGrant> DomainRules::addresses() const {
  std::vector<AddressGrant> grants;
  for (const DomainRule& rule : rules_) {
    if (rule.kind != DomainKind::kAddress || rule.action != RuleAction::kAllow) continue;
    for (std::uint16_t port : rule.ports)
      grants.push_back({Address(rule.address), static_cast<unsigned>(rule.prefix), port});
  }
  return grants;
}

}  // namespace pinfold::net
