// network_narrowing_property_test.cc: reached_beyond() against a model that tries every name, address and port.
// Invariant: the two agree in both directions; the names and addresses are few, so that rules meet.
// Not here: its words (narrowing_test.cc).
#include "policy/network_narrowing.h"

#include <gtest/gtest.h>

#include "base/address.h"
#include "base/domain.h"
#include "base/property.h"

namespace pinfold::policy {
namespace {

std::string one_of(const std::vector<std::string>& words) { return *rc::gen::elementOf(words); }

std::string random_rule() {
  std::string host;
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
    case 1: host = one_of({"a", "b"}) + "." + one_of({"a.org", "b.org", "org", "a.a.org"}); break;
    case 2: host = "*." + one_of({"org", "a.org", "b.org", "b.a.org"}); break;
    case 3: host = "localhost"; break;
    default: host = one_of({"10.0.0.0/28", "10.0.0.0/29", "10.0.0.8/29", "10.0.0.4/30", "10.0.0.12/30", "10.0.0.5"});
  }
  return one_of({"", "", "", "!"}) + host + one_of({"", ":80", ":443", ":22"});
}

std::vector<DomainRule> random_rules() {
  std::vector<DomainRule> out;
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i)
    if (auto rule = parse_rule(random_rule(), {})) out.push_back(std::move(*rule));
  return out;
}

// Every name of up to four labels, of which one is in no rule, and every address of a small network.
bool model_finds_more(const std::vector<DomainRule>& own, const std::vector<DomainRule>& requested) {
  std::vector<std::string> names = {"org"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::count(names[i].begin(), names[i].end(), '.') < 3)
      for (const char* label : {"a.", "b.", "other."}) names.push_back(label + names[i]);
  names.emplace_back("localhost");
  for (const std::uint16_t port : {std::uint16_t{22}, std::uint16_t{80}, std::uint16_t{443}, std::uint16_t{1}}) {
    for (const std::string& name : names)
      if (decide(requested, name, port).allowed && !decide(own, name, port).allowed) return true;
    for (int last = 0; last < 20; ++last) {
      const IpAddress address = *parse_address("10.0.0." + std::to_string(last));
      if (decide(requested, address, port).allowed && !decide(own, address, port).allowed) return true;
    }
  }
  return false;
}

TEST(NetworkNarrowingProperty, AgreesWithTheModel) {
  int wider = 0, silent = 0;
  EXPECT_EQ(
      holds("reached_beyond() and a model agree", 600,
            [&] {
              const auto own = random_rules();
              auto requested = random_rules();
              // Mostly the same list with something left out or added: then the difference usually has an effect.
              if (*rc::gen::inRange(0, 3) != 0) {
                requested = own;
                if (!requested.empty())
                  requested.erase(requested.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(requested)));
                if (*rc::gen::inRange(0, 3) == 0)
                  if (auto rule = parse_rule(random_rule(), {})) requested.push_back(std::move(*rule));
              }
              for (const DomainRule& rule : own) RC_LOG("own " + print_rule(rule) + "\n");
              for (const DomainRule& rule : requested) RC_LOG("asked " + print_rule(rule) + "\n");
              const auto found = network_widenings(own, requested);
              for (const NetworkWidening& one : found) RC_LOG("found " + one.what + " than " + one.than + "\n");
              RC_ASSERT(model_finds_more(own, requested) == !found.empty());
              for (const NetworkWidening& one : found) RC_ASSERT((!one.what.empty() && !one.than.empty()));
              (found.empty() ? silent : wider)++;
            }),
      "");
  EXPECT_GT(wider, enough(100));
  EXPECT_GT(silent, enough(100));
}

}  // namespace
}  // namespace pinfold::policy
