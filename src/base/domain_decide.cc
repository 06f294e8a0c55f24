// domain_decide.cc: which rule decides about a name or an address.
// Invariant: the most specific rule decides, and among those for the same the denial; no rule means no.
// Not here: rules as text (domain.cc).
#include <algorithm>

#include "base/address.h"
#include "base/domain.h"
#include "base/text.h"

namespace pinfold {
namespace {

using std::string_view;

constexpr string_view kLocalhost = "localhost";
// With more rules than this, the advice does not print all flags.
constexpr std::size_t kMostFlags = 12;

// The specificity of a rule that matches; 0: no match. An exact name is more specific than any wildcard.
constexpr int kExact = 1 << 16;

bool below(string_view name, string_view domain) {
  return name.size() > domain.size() + 1 && name.ends_with(domain) && name[name.size() - domain.size() - 1] == '.';
}

int narrowness(const DomainRule& rule, string_view name) {
  switch (rule.kind) {
    case DomainKind::kName: return rule.name == name ? kExact : 0;
    case DomainKind::kWildcard: return below(name, rule.name) ? 1 + static_cast<int>(rule.name.size()) : 0;
    case DomainKind::kHostLoopback: return name == kLocalhost ? kExact : 0;
    case DomainKind::kAddress: break;
  }
  return 0;
}

int narrowness(const DomainRule& rule, const IpAddress& address) {
  if (rule.kind == DomainKind::kHostLoopback) return is_localhost(address) ? kExact : 0;
  if (rule.kind != DomainKind::kAddress || !covers(Prefix{rule.address, rule.prefix}, address)) return 0;
  return rule.prefix == whole(address.family) ? kExact : 1 + rule.prefix;
}

bool has_port(const DomainRule& rule, std::uint16_t port) {
  return rule.ports.empty() || std::find(rule.ports.begin(), rule.ports.end(), port) != rule.ports.end();
}

struct Match {
  const DomainRule* rule = nullptr;
  int narrow = 0;
};

template <typename To>
Match match(const std::vector<DomainRule>& rules, const To& to, std::uint16_t port) {
  Match best;
  for (const DomainRule& rule : rules) {
    const int narrow = narrowness(rule, to);
    if (narrow == 0 || narrow < best.narrow || !has_port(rule, port)) continue;
    if (narrow == best.narrow && rule.action == RuleAction::kAllow) continue;
    best = {&rule, narrow};
  }
  return best;
}

std::string by(const DomainRule& rule) {
  const std::string where = rule.origin.where.empty() ? "" : " (" + text::shown(rule.origin.where) + ")";
  return print_rule(rule) + where;
}

// If no rule matches: a rule for the same host with other ports, for the reason.
template <typename To>
const DomainRule* other_port(const std::vector<DomainRule>& rules, const To& to) {
  for (const DomainRule& rule : rules)
    if (rule.action == RuleAction::kAllow && narrowness(rule, to) > 0) return &rule;
  return nullptr;
}
const DomainRule* apex(const std::vector<DomainRule>& rules, string_view name) {
  for (const DomainRule& rule : rules)
    if (rule.action == RuleAction::kAllow && rule.kind == DomainKind::kWildcard && rule.name == name) return &rule;
  return nullptr;
}
const DomainRule* apex(const std::vector<DomainRule>&, const IpAddress&) { return nullptr; }

// Rules from flags replace the list of a policy file, so the flags must repeat that list. A rule that denies exactly
// this host must be removed: no other rule wins over it.
template <typename To>
std::string change(const std::vector<DomainRule>& rules, const To& to, const Host& host, std::uint16_t port) {
  const auto must_go = [&](const DomainRule& rule) {
    return rule.action == RuleAction::kDeny && narrowness(rule, to) == kExact && has_port(rule, port);
  };
  const bool typed = !rules.empty() && rules[0].origin.source >= Source::kFlag;
  std::string without, all;
  for (const DomainRule& rule : rules) {
    const std::string flag = "--net " + text::shell_word(print_rule(rule));
    if (must_go(rule))
      without += (without.empty() ? "leave out " : " and ") + flag;
    else if (!typed)
      all += flag + " ";
  }
  std::string flag = "--net " + text::shell_word(print_host(host, port));
  if (typed && without.empty()) return flag;
  // Another rule may allow the host without the denial, or none.
  if (typed) return without + ", and add " + flag;
  if (rules.size() > kMostFlags) return "add \"" + print_host(host, port) + "\" to the list of rules";
  return all + flag;
}

template <typename To>
DomainDecision make_decision(const std::vector<DomainRule>& rules, const To& to, const Host& host, std::uint16_t port) {
  const Match best = match(rules, to, port);
  DomainDecision out{false, best.rule, {}, {}};
  if (best.rule != nullptr && best.rule->action == RuleAction::kAllow) {
    out.allowed = true;
    out.reason = by(*best.rule);
    return out;
  }
  out.allow_with = change(rules, to, host, port);
  if (best.rule != nullptr) {
    out.reason = "denied by " + by(*best.rule);
  } else if ((out.rule = other_port(rules, to)) != nullptr) {
    std::string ports;
    for (const std::uint16_t one : granted_ports(rules, to)) ports += (ports.empty() ? "" : ", ") + std::to_string(one);
    out.reason = "port " + std::to_string(port) + " is not among those of " + by(*out.rule) +
                 (ports.empty() ? "" : "; allowed: " + ports);
  } else if ((out.rule = apex(rules, to)) != nullptr) {
    out.reason = "*." + out.rule->name + " covers names below " + out.rule->name + ", not " + out.rule->name +
                 " itself" + (out.rule->origin.where.empty() ? "" : " (" + text::shown(out.rule->origin.where) + ")");
  } else {
    out.reason = std::holds_alternative<IpAddress>(host) ? "no rule names this address" : "no rule names it";
  }
  return out;
}

template <typename To>
std::vector<std::uint16_t> ports_of(const std::vector<DomainRule>& rules, const To& to) {
  std::vector<std::uint16_t> out;
  for (const DomainRule& rule : rules)
    if (rule.action == RuleAction::kAllow && narrowness(rule, to) > 0)
      out.insert(out.end(), rule.ports.begin(), rule.ports.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase_if(out, [&](std::uint16_t port) { return match(rules, to, port).rule->action == RuleAction::kDeny; });
  return out;
}

}  // namespace

DomainDecision decide(const std::vector<DomainRule>& rules, string_view name, std::uint16_t port) {
  return make_decision(rules, name, Host(std::string(name)), port);
}
DomainDecision decide(const std::vector<DomainRule>& rules, const IpAddress& address, std::uint16_t port) {
  return make_decision(rules, address, Host(address), port);
}

std::vector<std::uint16_t> granted_ports(const std::vector<DomainRule>& rules, string_view name) {
  return ports_of(rules, name);
}
std::vector<std::uint16_t> granted_ports(const std::vector<DomainRule>& rules, const IpAddress& address) {
  return ports_of(rules, address);
}

}  // namespace pinfold
