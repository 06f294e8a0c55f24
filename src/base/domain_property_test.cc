// domain_property_test.cc: decide() against a slow model, and rules that read back.
// Invariant: the model knows only sets of labels and of bits, and tries the rules in order of their matches.
// Not here: words (domain_test.cc).
#include "base/domain.h"

#include <gtest/gtest.h>

#include "base/address.h"
#include "base/property.h"

namespace pinfold {
namespace {

using Labels = std::vector<std::string>;

Labels labels_of(std::string name) {
  Labels out;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.')) {
    out.insert(out.begin(), name.substr(0, dot));
    name.erase(0, dot + 1);
  }
  out.insert(out.begin(), name);
  return out;  // the top-level domain first
}

// How many labels a rule shares with a name it matches; an exact one counts as one more. -1: it does not match.
int shares(const DomainRule& rule, std::string_view name) {
  const Labels asked = labels_of(std::string(name));
  if (rule.kind == DomainKind::kHostLoopback) return name == "localhost" ? 100 : -1;
  if (rule.kind == DomainKind::kAddress) return -1;
  const Labels own = labels_of(rule.name);
  if (rule.kind == DomainKind::kName) return own == asked ? 100 : -1;
  if (asked.size() <= own.size()) return -1;
  return std::equal(own.begin(), own.end(), asked.begin()) ? static_cast<int>(own.size()) : -1;
}

std::string bits_of(const IpAddress& address) {
  std::string out = address.family == Family::kV4 ? "4" : "6";
  for (int i = 0; i < whole(address.family); ++i)
    out += ((address.bytes[static_cast<std::size_t>(i / 8)] >> (7 - i % 8)) & 1) != 0 ? '1' : '0';
  return out;
}
int shares(const DomainRule& rule, const IpAddress& address) {
  const std::string text = print_address(address);
  if (rule.kind == DomainKind::kHostLoopback) return text == "127.0.0.1" || text == "::1" ? 200 : -1;
  if (rule.kind != DomainKind::kAddress) return -1;
  const std::string own = bits_of(rule.address).substr(0, static_cast<std::size_t>(rule.prefix) + 1);
  return bits_of(address).starts_with(own) ? rule.prefix : -1;
}

template <typename To>
bool model(const std::vector<DomainRule>& rules, const To& to, std::uint16_t port) {
  int best = -1;
  for (const DomainRule& rule : rules)
    if (rule.ports.empty() || std::count(rule.ports.begin(), rule.ports.end(), port) != 0)
      best = std::max(best, shares(rule, to));
  if (best < 0) return false;
  for (const DomainRule& rule : rules)
    if (shares(rule, to) == best && rule.action == RuleAction::kDeny &&
        (rule.ports.empty() || std::count(rule.ports.begin(), rule.ports.end(), port) != 0))
      return false;
  return true;
}

std::string one_of(const std::vector<std::string>& words) { return *rc::gen::elementOf(words); }

std::string random_name() {
  std::string out = one_of({"org", "com", "a"});
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) out = one_of({"a", "b", "aa", "org"}) + "." + out;
  return out;
}
std::string random_address() {
  return one_of(
      {"10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.4", "10.0.1.0", "11.0.0.0", "fd00::", "fd00::1", "fd01::"});
}

std::string random_rule() {
  std::string host;
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
    case 1: host = random_name(); break;
    case 2:
    case 3: host = "*." + random_name(); break;
    case 4: host = "localhost"; break;
    default: host = random_address() + one_of({"", "/8", "/30", "/31", "/16", "/7"});
  }
  const std::string port = one_of({"", ":80", ":443", ":22"});
  if (host.find("::") != std::string::npos && !port.empty()) host = "[" + host + "]";
  return one_of({"", "", "!"}) + host + port;
}

std::vector<DomainRule> random_rules() {
  std::vector<DomainRule> out;
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i)
    if (auto rule = parse_rule(random_rule(), {})) out.push_back(std::move(*rule));
  return out;
}

template <typename To>
void compare(const std::vector<DomainRule>& rules, const To& to, std::vector<std::uint16_t>& granted) {
  for (const std::uint16_t port : {std::uint16_t{22}, std::uint16_t{80}, std::uint16_t{443}, std::uint16_t{8080}}) {
    const DomainDecision decision = decide(rules, to, port);
    RC_ASSERT(decision.allowed == model(rules, to, port));
    RC_ASSERT(decision.allowed == decision.allow_with.empty());
    RC_ASSERT((!decision.allowed || decision.rule->action == RuleAction::kAllow));
    if (decision.allowed) granted.push_back(port);
  }
  RC_ASSERT(granted_ports(rules, to) == granted);
}

TEST(DomainProperty, DecidesAsTheModel) {
  int allowed = 0;
  EXPECT_EQ(holds("decide() and a model agree", 3000,
                  [&] {
                    const auto rules = random_rules();
                    for (const DomainRule& rule : rules) RC_LOG(print_rule(rule) + "\n");
                    for (int i = 0; i < 8; ++i) {
                      const std::string name = *rc::gen::inRange(0, 8) == 0 ? "localhost" : random_name();
                      RC_LOG("asked: " + name + "\n");
                      std::vector<std::uint16_t> granted;
                      compare(rules, std::string_view(name), granted);
                      allowed += granted.empty() ? 0 : 1;
                      std::vector<std::uint16_t> by_address;
                      compare(rules, *parse_address(one_of({"127.0.0.1", "::1", random_address()})), by_address);
                      allowed += by_address.empty() ? 0 : 1;
                    }
                  }),
            "");
  EXPECT_GT(allowed, enough(2000));
}

TEST(DomainProperty, RulesReadBack) {
  int read = 0;
  EXPECT_EQ(holds("print_rule() reads back as the same rule", 3000,
                  [&] {
                    const auto rule = parse_rule(random_rule(), {});
                    if (!rule) return;
                    ++read;
                    RC_LOG(print_rule(*rule));
                    const auto again = parse_rule(print_rule(*rule), {});
                    RC_ASSERT((again.has_value() && same_rule(*rule, *again)));
                  }),
            "");
  EXPECT_GT(read, enough(1500));
}

// Pieces that break naive reading.
TEST(DomainProperty, AnyTextIsCanonicalOrRefused) {
  const std::vector<std::string> pieces = {"a",         "B",         ".",
                                           ".",         "-",         "_",
                                           "1",         "0x",        "127",
                                           "*",         "*.",        ":",
                                           "::",        "[",         "]",
                                           "/8",        "!",         "%",
                                           " ",         "\n",        std::string(1, '\0'),
                                           "xn--",      "é",         "É",
                                           "e\xCC\x81", "ß",         "\xFF",
                                           "。",        "localhost", ":443",
                                           "ffff",      "org",       "xn--bcher-kva",
                                           "255",       "@"};
  int read = 0;
  EXPECT_EQ(
      holds("what parse_rule() takes is canonical", 20000,
            [&] {
              std::string text;
              for (int i = *rc::gen::inRange(0, 7); i > 0; --i) text += *rc::gen::elementOf(pieces);
              const auto rule = parse_rule(text, {});
              if (!rule) {
                RC_ASSERT((!rule.error().text().empty() && !rule.error().fix().empty()));
                return;
              }
              ++read;
              const auto again = parse_rule(print_rule(*rule), {});
              RC_ASSERT((again.has_value() && same_rule(*rule, *again)));
              if (rule->kind == DomainKind::kName || rule->kind == DomainKind::kWildcard) {
                RC_ASSERT(canonical_name(rule->name).value_or("") == rule->name);
                for (const char c : rule->name)
                  RC_ASSERT(((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'));
              }
            }),
      "");
  EXPECT_GT(read, enough(100));
}

}  // namespace
}  // namespace pinfold
