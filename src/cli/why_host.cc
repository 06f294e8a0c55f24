// why_host.cc: finds the rule that decides about a host.
// Invariant: a flag or a line of TOML is suggested only if adding it changes the decision, and it allows this host
// alone. Not here: printing (policy_why.cc), the meaning of rules (base/domain.h).
#include "cli/why_host.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/address.h"
#include "base/domain.h"
#include "base/text.h"
#include "policy/print.h"

namespace pinfold::cli {

namespace {

using std::string_view;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_number(string_view text) {
  return !text.empty() && text.size() <= 5 && std::all_of(text.begin(), text.end(), is_digit);
}

std::optional<std::uint16_t> port_in(string_view text) {
  if (!is_number(text)) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) value = value * 10 + static_cast<unsigned>(c - '0');
  if (value == 0 || value > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(value);
}

// At least two labels; a last label of digits only makes it an address with four numbers.
bool is_dotted_name(string_view name) {
  std::size_t labels = 0;
  bool numbers = true;
  while (true) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const string_view label = name.substr(0, dot);
    const bool fine = !label.empty() && label.front() != '-' && label.back() != '-' &&
                      std::all_of(label.begin(), label.end(), [](char c) {
                        return is_letter(c) || is_digit(c) || c == '-' || c == '_' || static_cast<signed char>(c) < 0;
                      });
    if (!fine) return false;
    numbers = numbers && is_number(label);
    ++labels;
    if (dot == name.size()) return labels >= 2 && (is_digit(label.back()) ? numbers && labels == 4 : true);
    name.remove_prefix(dot + 1);
  }
}

struct Scheme {
  string_view text;
  std::uint16_t port;
};
constexpr auto kSchemes = std::to_array<Scheme>(
    {{"https://", 443}, {"http://", 80}, {"ssh://", 22}, {"git://", 9418}, {"wss://", 443}, {"ws://", 80}});

bool file_can_override(const Origin& by) { return by.source < Source::kEnvironment; }

std::string toml_of(const std::vector<DomainRule>& rules) {
  std::string out;
  for (const DomainRule& rule : rules) out += (out.empty() ? "" : ", ") + policy::toml_string(print_rule(rule));
  return "network = [" + out + "]";
}

std::string list_of(const std::vector<std::uint16_t>& ports) {
  std::string out;
  for (const std::uint16_t port : ports) out += (out.empty() ? "" : ", ") + std::to_string(port);
  return (ports.size() == 1 ? "port " : "ports ") + out;
}

class HostExplainer {
 public:
  HostExplainer(const NetworkRule& network, const HostQuery& query, const Host& host)
      : network_(network), query_(query), host_(host) {
    const auto* address = std::get_if<IpAddress>(&host_);
    loopback_ = address != nullptr ? is_localhost(*address) : std::get<std::string>(host_) == "localhost";
    // The rule to suggest: the bare name if possible, otherwise with the port of the query.
    wanted_ = print_host(host_, query_.port.value_or(443));
    if (!query_.port && address == nullptr && !loopback_ && std::get<std::string>(host_).find('.') != std::string::npos)
      wanted_ = std::get<std::string>(host_);
  }

  RuleExplanation answer() const {
    RuleExplanation out;
    const auto* address = std::get_if<IpAddress>(&host_);
    out.subject = "host " + (address != nullptr ? print_address(*address) : std::get<std::string>(host_)) +
                  (query_.port ? fmt::format(", port {}", *query_.port) : "");
    const auto file = [&](std::string line) {
      return file_can_override(network_.origin) ? std::move(line) : std::string();
    };
    switch (network_.mode) {
      case NetworkMode::kNone:
        out.decision = loopback_ ? "the sandbox's own loopback: nothing of the host listens there"
                                 : "cannot be reached: there is no network";
        out.because = fmt::format("network none ({})", network_.origin.where);
        out.change = grant({});
        break;
      case NetworkMode::kFull:
        out.decision = "can be reached, as from the host";
        out.because = fmt::format("network full ({})", network_.origin.where);
        out.change = {"--net none", file("network = \"none\"")};
        break;
      case NetworkMode::kDomains: by_rules(out); break;
    }
    return out;
  }

 private:
  DomainDecision decided(const std::vector<DomainRule>& rules, std::uint16_t port) const {
    return std::visit([&](const auto& host) { return decide(rules, host, port); }, host_);
  }

  void by_rules(RuleExplanation& out) const {
    const auto ports = std::visit([&](const auto& host) { return granted_ports(network_.domains, host); }, host_);
    const bool allowed =
        query_.port ? std::find(ports.begin(), ports.end(), *query_.port) != ports.end() : !ports.empty();
    const DomainDecision decision = decided(network_.domains, query_.port ? *query_.port
                                                              : allowed   ? ports[0]
                                                                          : std::uint16_t{443});
    out.because = decision.reason;
    if (allowed) {
      out.decision = query_.port ? "can be reached" : "can be reached on " + list_of(ports);
      if (loopback_) out.decision += ": a service on the host's loopback";
      if (decision.rule->kind == DomainKind::kWildcard)
        out.because += fmt::format(": any name below {0}, at any depth, but not {0} itself", decision.rule->name);
      return;
    }
    out.decision = loopback_ ? "the sandbox's own loopback: nothing of the host listens there" : "cannot be reached";
    if (std::holds_alternative<IpAddress>(host_) && decision.rule == nullptr)
      out.because += ": a rule for a name gives no address";
    out.change = grant(network_.domains);
    if (query_.port || out.change.flag.empty()) out.change.flag = decision.allow_with;
  }

  // The rules plus one for this host, without the rules that would still deny it.
  SuggestedChange grant(std::vector<DomainRule> rules) const {
    const auto rule = parse_rule(wanted_, {});
    if (!rule) return {};  // no rule can allow it
    const bool typed = !rules.empty() && !file_can_override(network_.origin) && network_.origin.source >= Source::kFlag;
    const std::uint16_t port = rule->ports[0];
    rules.push_back(*rule);
    bool must_leave_out = false;
    for (DomainDecision now = decided(rules, port); !now.allowed && now.rule != nullptr; now = decided(rules, port)) {
      if (now.rule->action != RuleAction::kDeny) break;
      rules.erase(rules.begin() + (now.rule - rules.data()));
      must_leave_out = true;
    }
    SuggestedChange out;
    if (file_can_override(network_.origin)) out.toml = toml_of(rules);
    if (must_leave_out) return out;  // decide() names the flag to leave out
    if (typed) rules = {*rule};
    for (const DomainRule& one : rules)
      out.flag += (out.flag.empty() ? "" : " ") + ("--net " + text::shell_word(print_rule(one)));
    return out;
  }

  const NetworkRule& network_;
  const HostQuery& query_;
  const Host& host_;
  bool loopback_ = false;
  std::string wanted_;
};

}  // namespace

HostQuery parse_host_query(string_view subject) {
  HostQuery out;
  bool is_host = false;  // with a scheme or a port, a name without a dot is a host too
  for (const Scheme& scheme : kSchemes) {
    if (!subject.starts_with(scheme.text)) continue;
    subject.remove_prefix(scheme.text.size());
    subject = subject.substr(0, subject.find_first_of("/?#"));
    if (const std::size_t at = subject.rfind('@'); at != string_view::npos) subject.remove_prefix(at + 1);
    out.port = scheme.port;
    is_host = true;
    break;
  }
  if (subject.find('/') != string_view::npos) return {};
  if (subject.starts_with('[')) {
    const std::size_t end = subject.find(']');
    if (end == string_view::npos) return {};
    const string_view rest = subject.substr(end + 1);
    if (!rest.empty()) {
      if (rest[0] != ':' || !port_in(rest.substr(1))) return {};
      out.port = port_in(rest.substr(1));
    }
    out.host = subject.substr(1, end - 1);
    return out;
  }
  const std::size_t colon = subject.find(':');
  if (colon != string_view::npos && subject.find(':', colon + 1) != string_view::npos) {
    if (!parse_address(subject)) return {};
    out.host = subject;
    return out;
  }
  if (colon != string_view::npos) {
    out.port = port_in(subject.substr(colon + 1));
    if (!out.port) return {};
    subject = subject.substr(0, colon);
    is_host = true;
  }
  if (is_host && subject.ends_with('.')) subject.remove_suffix(1);
  const bool one_label = !subject.empty() && is_dotted_name(std::string(subject) + ".x");
  if (!is_dotted_name(subject) && subject != "localhost" && !(is_host && one_label)) return {};
  out.host = subject;
  return out;
}

RuleExplanation about_host(const RuleQuery& rule_query, const HostQuery& query) {
  const auto host = parse_host(query.host);
  if (!host) {
    RuleExplanation out;
    out.subject = "host " + query.host;
    out.decision = "cannot be reached: not a valid host name or address";
    out.because = host.error().text() + (host.error().fix().empty() ? "" : " (" + host.error().fix() + ")");
    return out;
  }
  return HostExplainer(rule_query.scope.policy().network, query, *host).answer();
}

}  // namespace pinfold::cli
