// domain_rules_test.cc: the decisions that the relay gets from the rules of a plan.
#include "net/domain_rules.h"

#include <gtest/gtest.h>

#include "base/domain.h"

namespace pinfold::net {
namespace {

using Outcome = Decision::Outcome;

DomainRules rules(std::initializer_list<const char*> texts) {
  std::vector<DomainRule> all;
  for (const char* text : texts) all.push_back(*parse_rule(text, {Source::kFlag, "--net"}));
  return DomainRules(std::move(all));
}

TEST(DomainRulesTest, ANameIsDecidedBeforeItsPortIsKnown) {
  const DomainRules some = rules({"a.test:8443", "*.b.test", "!c.b.test"});
  EXPECT_EQ(some.decide("a.test").outcome, Outcome::kAllowed) << "on any granted port";
  EXPECT_EQ(some.decide("a.test", 443).outcome, Outcome::kDenied);
  EXPECT_EQ(some.decide("x.b.test").outcome, Outcome::kAllowed);
  EXPECT_EQ(some.decide("c.b.test").outcome, Outcome::kDenied);
  EXPECT_EQ(some.decide("b.test").outcome, Outcome::kDenied);
  EXPECT_EQ(some.decide("z.test").allow_with, "--net z.test") << "no port: it is not known yet";
  EXPECT_EQ(some.decide("a.test", 80).allow_with, "--net a.test:80");
  EXPECT_EQ(some.decide("db").allow_with, "--net db:80 --net db:443") << "one label needs its ports said";
}

TEST(DomainRulesTest, AddressesAreGrantedPortByPort) {
  const DomainRules some = rules({"10.1.0.0/16", "!10.1.2.3", "[fd00::1]:22", "localhost:5432"});
  ASSERT_EQ(some.addresses().size(), 3U);
  EXPECT_EQ(some.addresses()[0].prefix, 16U);
  EXPECT_EQ(some.addresses()[0].port, 80);
  EXPECT_EQ(some.addresses()[2].port, 22);
  EXPECT_EQ(some.decide(*Address::parse("10.1.9.9"), 443).outcome, Outcome::kAllowed);
  EXPECT_EQ(some.decide(*Address::parse("10.1.2.3"), 443).outcome, Outcome::kDenied);
  EXPECT_EQ(some.decide(*Address::parse("127.0.0.1"), 5432).outcome, Outcome::kAllowed);
  EXPECT_EQ(some.decide(*Address::parse("127.0.0.2"), 5432).outcome, Outcome::kDenied);
  EXPECT_EQ(some.ports("localhost"), (std::vector<std::uint16_t>{5432}));
}

}  // namespace
}  // namespace pinfold::net
