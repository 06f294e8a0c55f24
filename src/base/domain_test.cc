// domain_test.cc: names and rules as text, and the words of decisions.
#include "base/domain.h"

#include <gtest/gtest.h>

#include "base/address.h"

namespace pinfold {
namespace {

std::string name(std::string_view text) {
  const auto made = canonical_name(text);
  return made ? *made : "refused";
}
std::string rule(std::string_view text) {
  const auto made = parse_rule(text, {});
  return made ? print_rule(*made) : "refused";
}
std::string complaint(std::string_view text) {
  const auto made = parse_rule(text, {});
  return made ? "no complaint" : made.error().text() + " (" + made.error().fix() + ")";
}
std::vector<DomainRule> rules(const std::vector<std::string>& texts, Source source = Source::kFlag) {
  std::vector<DomainRule> out;
  for (const std::string& text : texts) out.push_back(*parse_rule(text, {source, "here"}));
  return out;
}

TEST(DomainName, OneSpelling) {
  EXPECT_EQ(name("Example.ORG"), "example.org");
  EXPECT_EQ(name("example.org."), "example.org");
  EXPECT_EQ(name("Bücher.Example"), "xn--bcher-kva.example");
  EXPECT_EQ(name("XN--BCHER-KVA.example"), "xn--bcher-kva.example");
  EXPECT_EQ(name("_ldap._tcp.example.org"), "_ldap._tcp.example.org");
  EXPECT_EQ(name("r1---sn-abc.example.org"), "r1---sn-abc.example.org");
  EXPECT_EQ(name("1.2.3.example"), "1.2.3.example");
  EXPECT_EQ(name("0xg"), "0xg");
  EXPECT_EQ(name(std::string(63, 'a') + ".org"), std::string(63, 'a') + ".org");
}

TEST(DomainName, RefusesInvalidNames) {
  using namespace std::string_literals;
  const std::string label(63, 'a');
  for (const std::string& text : {""s,
                                  "."s,
                                  ".."s,
                                  ".a"s,
                                  "a..b"s,
                                  "a.."s,
                                  "-a.b"s,
                                  "a-.b"s,
                                  "a b.c"s,
                                  "a.b\r\n"s,
                                  "evil\0.allowed.com"s,
                                  "a%00.b"s,
                                  "a\tb"s,
                                  "a/b"s,
                                  "a:b"s,
                                  "a@b"s,
                                  "*.a"s,
                                  "a,b"s,
                                  "a\x7F"s,
                                  "127.1"s,
                                  "2130706433"s,
                                  "0x7f.1"s,
                                  "0x7F.0x1"s,
                                  "1.0x"s,
                                  "1.2.3.4"s,
                                  "1.2.3.4."s,
                                  "01.2.3.4"s,
                                  "a.1"s,
                                  "a.0x1f"s,
                                  "xn--a.org"s,
                                  std::string(64, 'a') + ".org",
                                  label + "." + label + "." + label + "." + label,
                                  std::string(300, 'a'),
                                  std::string(5000, 'a'),
                                  "\xFF.org"s,
                                  "a\xE3\x80\x82"
                                  "b"s})
    EXPECT_EQ(name(text), "refused") << text;
}

TEST(DomainName, LengthCountsTheAsciiForm) {
  const std::string label(61, 'a');
  const std::string longest = label + "." + label + "." + label + "." + label + ".abcde";
  EXPECT_EQ(longest.size(), 253U);
  EXPECT_EQ(name(longest), longest);
  EXPECT_EQ(name(longest + "."), longest);
  EXPECT_EQ(name(longest + "f"), "refused");
  std::string beyond;
  for (int i = 0; i < 60; ++i) beyond += "ü";
  EXPECT_EQ(name(beyond + ".org"), "refused");
}

TEST(DomainRule, EveryKindReadsBack) {
  for (const char* text :
       {"api.github.com", "*.example.org", "*.example.org:443", "localhost:5432", "10.1.2.3:22", "10.0.0.0/8",
        "10.0.0.0/8:22", "[2001:db8::1]:443", "2001:db8::1", "fd00::/8", "[fd00::/8]:22", "!a.example.org",
        "!*.b.example.org:80", "!10.1.2.3", "!localhost", "db:5432", "*.com", "169.254.169.254:80"})
    EXPECT_EQ(rule(text), text);
  EXPECT_EQ(rule("EXAMPLE.org.:443"), "example.org:443");
  EXPECT_EQ(rule("*.BÜCHER.example"), "*.xn--bcher-kva.example");
  EXPECT_EQ(rule("127.0.0.1:80"), "localhost:80");
  EXPECT_EQ(rule("[::1]:80"), "localhost:80");
  EXPECT_EQ(rule("[::ffff:127.0.0.1]:80"), "localhost:80");
  EXPECT_EQ(rule("LocalHost.:80"), "localhost:80");
  EXPECT_EQ(rule("[::ffff:10.0.0.1]:80"), "10.0.0.1:80");
  EXPECT_EQ(rule("[2001:db8::1]"), "2001:db8::1");
  EXPECT_EQ(rule("fd00::/8:22"), "[fd00::/8]:22");
}

TEST(DomainRule, PortsOfABareName) {
  EXPECT_EQ(parse_rule("a.org", {})->ports, (std::vector<std::uint16_t>{80, 443}));
  EXPECT_EQ(parse_rule("!a.org", {})->ports, std::vector<std::uint16_t>{});
  EXPECT_EQ(parse_rule("a.org:80", {})->ports, std::vector<std::uint16_t>{80});
}

TEST(DomainRule, MistakesHavePositionAndFix) {
  EXPECT_EQ(complaint("*"),
            "\"*\": * would allow every name (name the domains, such as *.example.org, or use --net full)");
  EXPECT_EQ(complaint("*:443").substr(0, 9), "\"*:443\": ");
  EXPECT_EQ(complaint("https://a.org/x"),
            "\"https://a.org/x\": a rule names a host, not an address of the web (write a.org)");
  EXPECT_EQ(complaint("a.org/x"), "\"a.org/x\": a rule names a host, not a path (leave out / and what follows)");
  EXPECT_EQ(complaint(".a.org"), "\".a.org\": a name cannot begin with a dot (write *.a.org for all names below it)");
  EXPECT_EQ(
      complaint("a.*.org"),
      "\"a.*.org\": * can only stand for whole labels at the beginning at character 3 (write *.example.org: it covers "
      "any depth)");
  EXPECT_EQ(complaint("localhost"),
            "\"localhost\": a service of the host is granted by its port (write localhost:5432)");
  EXPECT_EQ(complaint("a b.org"), "\"a b.org\": a blank at character 2 (remove it)");
  EXPECT_EQ(
      complaint("127.1:80"),
      "\"127.1\": it is neither a name nor an address, but some programs take it for one (write an address as four "
      "numbers without leading zeros, such as 127.0.0.1)");
  EXPECT_EQ(complaint("db"), "\"db\": a name without a dot needs a port (write db:443, or the whole name)");
  EXPECT_EQ(complaint("a.org:0"), "\"a.org:0\": \"0\" is not a port (use a number from 1 to 65535, such as :443)");
  EXPECT_EQ(complaint("0.0.0.0/0"), "\"0.0.0.0/0\": that is every address (use --net full)");
}

TEST(DomainRule, RefusesForbiddenRules) {
  for (const char* text : {"",
                           "!",
                           "!!a.org",
                           "127.0.0.2:80",
                           "127.0.0.0/8",
                           "0.0.0.0:80",
                           "[::]:80",
                           "224.0.0.1",
                           "198.18.0.53",
                           "198.18.0.0/16",
                           "255.255.255.255",
                           "ff02::1",
                           "::/0",
                           "64.0.0.0/1",
                           "::/8",
                           "a.org:65536",
                           "a.org:080",
                           "a.org:",
                           "a.org:*",
                           "a.org:http",
                           "a.org:80:80",
                           "[::1",
                           "[::1]80",
                           "[a.org]:80",
                           "[10.0.0.1]:80",
                           "fe80::1%eth0",
                           "10.1.2.3/8",
                           "10.0.0.0/8/8",
                           "*.localhost",
                           "a.localhost",
                           "*.*.org",
                           "**.org",
                           "*a.org",
                           "a*.org",
                           "*.",
                           "!*",
                           "user@a.org",
                           "a.org,b.org",
                           "0x7f.1:80",
                           "2130706433:80",
                           "010.0.0.1:80"})
    EXPECT_EQ(rule(text), "refused") << text;
}

TEST(DomainDecide, RefusesSimilarNames) {
  const auto list = rules({"allowed.com", "*.wild.com"});
  EXPECT_TRUE(decide(list, "allowed.com", 443).allowed);
  for (const char* other : {"allowed.com.evil.com", "notallowed.com", "a.allowed.com", "com", "wild.com", "notwild.com",
                            "wild.com.evil.com", ".wild.com"})
    EXPECT_FALSE(decide(list, other, 443).allowed) << other;
  for (const char* one : {"a.wild.com", "a.b.c.wild.com", "*.wild.com"}) EXPECT_TRUE(decide(list, one, 80).allowed);
  EXPECT_FALSE(decide(list, "a.wild.com", 22).allowed);
}

TEST(DomainDecide, NarrowerRuleWinsThenDenial) {
  const auto list = rules({"*.a.org", "!*.b.a.org", "x.b.a.org", "!y.a.org:80", "y.a.org", "!z.a.org", "z.a.org:443"});
  EXPECT_TRUE(decide(list, "c.a.org", 443).allowed);
  EXPECT_FALSE(decide(list, "c.b.a.org", 443).allowed);
  EXPECT_TRUE(decide(list, "b.a.org", 443).allowed);
  EXPECT_TRUE(decide(list, "x.b.a.org", 443).allowed);
  EXPECT_FALSE(decide(list, "y.a.org", 80).allowed);
  EXPECT_TRUE(decide(list, "y.a.org", 443).allowed);
  EXPECT_FALSE(decide(list, "z.a.org", 443).allowed);
  EXPECT_EQ(granted_ports(list, "y.a.org"), std::vector<std::uint16_t>{443});
  EXPECT_TRUE(granted_ports(list, "z.a.org").empty());
}

TEST(DomainDecide, AddressesAndTheHostsLoopback) {
  const auto list = rules({"10.0.0.0/8:22", "!10.1.0.0/16", "10.1.2.3:22", "localhost:5432", "a.org"});
  const auto at = [&](const char* address, std::uint16_t port) {
    return decide(list, *parse_address(address), port).allowed;
  };
  EXPECT_TRUE(at("10.9.9.9", 22));
  EXPECT_FALSE(at("10.9.9.9", 80));
  EXPECT_FALSE(at("10.1.9.9", 22));
  EXPECT_TRUE(at("10.1.2.3", 22));
  EXPECT_TRUE(at("127.0.0.1", 5432));
  EXPECT_TRUE(at("::1", 5432));
  EXPECT_FALSE(at("127.0.0.1", 80));
  EXPECT_FALSE(at("127.0.0.2", 5432));
  EXPECT_TRUE(decide(list, "localhost", 5432).allowed);
  EXPECT_FALSE(decide(list, "a.localhost", 5432).allowed);
  EXPECT_EQ(granted_ports(list, "localhost"), std::vector<std::uint16_t>{5432});
}

TEST(DomainDecide, AnEmptyListAllowsNothing) {
  EXPECT_FALSE(decide({}, "a.org", 443).allowed);
  EXPECT_EQ(decide({}, "a.org", 443).allow_with, "--net a.org:443");
}

TEST(DomainDecide, GivesTheReasonAndTheFlag) {
  const auto typed = rules({"*.a.org", "b.org:443", "!c.a.org"});
  EXPECT_EQ(decide(typed, "x.a.org", 80).reason, "*.a.org (here)");
  EXPECT_EQ(decide(typed, "a.org", 443).reason, "*.a.org covers names below a.org, not a.org itself (here)");
  EXPECT_EQ(decide(typed, "a.org", 443).allow_with, "--net a.org:443");
  EXPECT_EQ(decide(typed, "b.org", 80).reason, "port 80 is not among those of b.org:443 (here); allowed: 443");
  EXPECT_EQ(decide(typed, "c.a.org", 80).reason, "denied by !c.a.org (here)");
  EXPECT_EQ(decide(typed, "c.a.org", 80).allow_with, "leave out --net '!c.a.org', and add --net c.a.org:80");
  EXPECT_EQ(decide(typed, "d.org", 80).reason, "no rule names it");
  const auto filed = rules({"*.a.org", "!c.a.org"}, Source::kUserFile);
  EXPECT_EQ(decide(filed, "c.a.org", 80).allow_with, "--net '*.a.org' --net c.a.org:80");
  EXPECT_EQ(decide(filed, "d.org", 80).allow_with, "--net '*.a.org' --net '!c.a.org' --net d.org:80");
  EXPECT_EQ(decide(filed, *parse_address("fd00::1"), 80).allow_with,
            "--net '*.a.org' --net '!c.a.org' --net '[fd00::1]:80'");
}

TEST(DomainHost, NameOrAddress) {
  EXPECT_EQ(std::get<std::string>(*parse_host("A.org.")), "a.org");
  EXPECT_EQ(print_host(*parse_host("[::1]"), 80), "[::1]:80");
  EXPECT_EQ(print_host(*parse_host("::ffff:10.0.0.1"), 80), "10.0.0.1:80");
  for (const char* text : {"", "[10.0.0.1]", "[a.org]", "127.1", "::1%lo", "a.org:80"})
    EXPECT_FALSE(parse_host(text)) << text;
}

}  // namespace
}  // namespace pinfold
