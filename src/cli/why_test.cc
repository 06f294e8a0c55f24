// why_test.cc: which words are hosts, and their explanations; tests/cli runs the real program.
#include "cli/why_host.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::cli {
namespace {

TEST(HostIn, NamesAddressesPortsAndAddressesOfTheWeb) {
  EXPECT_EQ(parse_host_query("example.com").host, "example.com");
  EXPECT_EQ(parse_host_query("example.com:443").host, "example.com");
  EXPECT_EQ(parse_host_query("https://user@example.com:8443/x?y").host, "example.com");
  EXPECT_EQ(parse_host_query("localhost").host, "localhost");
  EXPECT_EQ(parse_host_query("db:5432").host, "db");
  EXPECT_EQ(parse_host_query("10.0.0.1").host, "10.0.0.1");
  EXPECT_EQ(parse_host_query("[::1]:80").host, "::1");
  EXPECT_EQ(parse_host_query("2001:db8::1").host, "2001:db8::1");
  EXPECT_EQ(parse_host_query("bücher.example").host, "bücher.example");
  EXPECT_EQ(parse_host_query("https://example.com/x").port, 443);
  EXPECT_EQ(parse_host_query("https://example.com:8443/x").port, 8443);
  EXPECT_EQ(parse_host_query("[::1]:80").port, 80);
  EXPECT_EQ(parse_host_query("example.com").port, std::nullopt);
}

TEST(HostIn, NotPathsVariablesOrPrograms) {
  for (const char* word : {"", "node", "PATH", "/etc/passwd", "./a.b", "a/b.c", ".env", "x.", "-a.b", "a..b", "1.2",
                           "a.b:c", "a:", "..", "~", "http://", "python3.11"})
    EXPECT_EQ(parse_host_query(word).host, "") << word;
}

class WhyHost : public testing::Test {
 protected:
  WhyHost() { host.debian().dir("/home/ada/ws"); }
  std::string why(const std::vector<std::string>& rules, const std::string& subject, Source source = Source::kFlag) {
    PolicyBuilder builder("moderate", caller, {Source::kFlag, "--profile"});
    for (const std::string& rule : rules) builder.network_domain(rule, {source, "here"});
    const auto policy = std::move(builder).build();
    const auto scope = policy::Scope::build(*policy, host);
    const Plan plan;
    const RuleExplanation answer = about_host({subject, caller, *scope, plan, host}, parse_host_query(subject));
    return answer.decision + " | " + answer.because + " | " + answer.change.flag + " | " + answer.change.toml;
  }
  Caller caller{"/home/ada", "/home/ada/ws"};
  FakeHost host;
};

TEST_F(WhyHost, WithoutANetworkOnlyThisHostIsOffered) {
  EXPECT_EQ(why({}, "example.com"),
            "cannot be reached: there is no network | network none (preset moderate) | --net example.com | "
            "network = [\"example.com\"]");
  EXPECT_EQ(why({}, "10.1.2.3:22"),
            "cannot be reached: there is no network | network none (preset moderate) | --net 10.1.2.3:22 | "
            "network = [\"10.1.2.3:22\"]");
  EXPECT_EQ(why({}, "localhost:5432"),
            "the sandbox's own loopback: nothing of the host listens there | network none (preset moderate) | --net "
            "localhost:5432 | network = [\"localhost:5432\"]");
}

TEST_F(WhyHost, NamesTheDecidingRule) {
  EXPECT_EQ(why({"*.a.org"}, "x.y.a.org:443"),
            "can be reached | *.a.org (here): any name below a.org, at any depth, but not a.org itself |  | ");
  EXPECT_EQ(why({"a.org"}, "A.org"), "can be reached on ports 80, 443 | a.org (here) |  | ");
  EXPECT_EQ(why({"*.a.org"}, "a.org"),
            "cannot be reached | *.a.org covers names below a.org, not a.org itself (here) | --net a.org | ");
  EXPECT_EQ(why({"*.a.org", "!b.a.org"}, "b.a.org:80", Source::kUserFile),
            "cannot be reached | denied by !b.a.org (here) | --net '*.a.org' --net b.a.org:80 | network = "
            "[\"*.a.org\", \"b.a.org:80\"]");
  EXPECT_EQ(why({"*.a.org", "!b.a.org"}, "b.a.org"),
            "cannot be reached | denied by !b.a.org (here) | leave out --net '!b.a.org', and add --net b.a.org:443 | ");
  EXPECT_EQ(
      why({"a.org"}, "10.1.2.3:22"),
      "cannot be reached | no rule names this address: a rule for a name gives no address | --net 10.1.2.3:22 | ");
  EXPECT_EQ(why({"localhost:5432"}, "localhost"),
            "can be reached on port 5432: a service on the host's loopback | localhost:5432 (here) |  | ");
}

}  // namespace
}  // namespace pinfold::cli
