// domain_rules.h: the rules of a plan, in the relay's interface.
// Invariant: every decision is base/domain.h's own. Not here: reading rules.
#pragma once

#include <utility>
#include <vector>

#include "net/rules.h"
#include "pinfold/network.h"

namespace pinfold::net {

class DomainRules final : public Rules {
 public:
  explicit DomainRules(std::vector<DomainRule> rules) : rules_(std::move(rules)) {}

  Decision decide(std::string_view name) const override;
  Decision decide(std::string_view name, std::uint16_t port) const override;
  Decision decide(const Address& address, std::uint16_t port) const override;
  std::vector<std::uint16_t> ports(std::string_view name) const override;
  std::vector<AddressGrant> addresses() const override;

 private:
  std::vector<DomainRule> rules_;
};

}  // namespace pinfold::net
