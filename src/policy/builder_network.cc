// builder_network.cc: PolicyBuilder: rules about names and addresses, and fixed addresses of names.
// Invariant: as builder.cc.
// Not here: reading and deciding about rules (base/domain.h).
#include <algorithm>

#include "base/address.h"
#include "base/domain.h"
#include "base/text.h"
#include "pinfold/policy.h"
#include "policy/rank.h"

namespace pinfold {
namespace {

using std::string_view;
using text::shown;

// More names than a policy needs; comparing two lists takes time by the product of their lengths.
constexpr std::size_t kMostDomains = 1024;

string_view word(NetworkMode mode) {
  return mode == NetworkMode::kFull ? "full" : mode == NetworkMode::kNone ? "none" : "a list of names";
}

}  // namespace

bool PolicyBuilder::network_mode(NetworkMode mode, const Origin& origin) {
  NetworkRule& rule = policy_.network;
  if (!overrides(origin, rule.origin)) return false;
  if (policy::contradicts(origin, rule.origin) && rule.mode != mode) {
    problem(origin,
            "network " + std::string(word(mode)) + " and " + std::string(word(rule.mode)) + " are both asked for",
            mode == NetworkMode::kDomains || rule.mode == NetworkMode::kDomains ? "use none, or full, or only names"
                                                                                : "keep one of them");
    return false;
  }
  if (rule.mode != mode || !same_layer(rule.origin, origin)) rule = {mode, {}, origin};
  return true;
}

PolicyBuilder& PolicyBuilder::no_network(const Origin& origin) {
  network_mode(NetworkMode::kNone, origin);
  return *this;
}

PolicyBuilder& PolicyBuilder::network_domain(string_view text, const Origin& origin) {
  auto rule = parse_rule(text, origin);
  if (!rule) return problem(origin, rule.error().text(), rule.error().fix());
  if (!network_mode(NetworkMode::kDomains, origin)) return *this;
  std::vector<DomainRule>& list = policy_.network.domains;
  if (std::any_of(list.begin(), list.end(), [&](const DomainRule& one) { return same_rule(one, *rule); })) return *this;
  if (list.size() == kMostDomains)
    return problem(origin, "there are more than " + std::to_string(kMostDomains) + " names", "use wildcards");
  list.push_back(std::move(*rule));
  return *this;
}

PolicyBuilder& PolicyBuilder::resolve(string_view text, const Origin& origin) {
  const auto bad = [&](const std::string& what, const std::string& fix) -> PolicyBuilder& {
    return problem(origin, "\"" + shown(text) + "\": " + what, fix);
  };
  const std::size_t equals = text.find('=');
  if (equals == string_view::npos) return bad("there is no =", "write NAME=ADDRESS, such as db.internal=10.1.2.3");
  auto name = canonical_name(text.substr(0, equals));
  if (!name) return problem(origin, name.error().text(), name.error().fix());
  if (*name == "localhost" || name->ends_with(".localhost"))
    return bad("localhost is the sandbox itself", "write --net localhost:PORT for a service of the host");
  HostAddresses host{*std::move(name), {}, origin};
  for (string_view rest = text.substr(equals + 1);;) {
    const std::size_t comma = rest.find(',');
    auto address = parse_address(rest.substr(0, comma));
    if (!address) return problem(origin, address.error().text(), address.error().fix());
    host.addresses.push_back(*address);
    if (comma == string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  auto& hosts = policy_.hosts;
  auto known =
      std::find_if(hosts.begin(), hosts.end(), [&](const HostAddresses& one) { return one.name == host.name; });
  if (known == hosts.end())
    hosts.push_back(std::move(host));
  else if (overrides(origin, known->origin))
    *known = std::move(host);
  return *this;
}

}  // namespace pinfold
