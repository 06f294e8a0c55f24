// builder_test.cc: rules from flags on top of presets, and every mistake with place and fix.
// Not here: the host (scope_test.cc).
#include <algorithm>

#include <gtest/gtest.h>

#include <algorithm>

#include "base/domain.h"
#include "pinfold/policy.h"

namespace pinfold {
namespace {

const Caller kAda{"/home/ada", "/home/ada/ws"};

Origin flag(std::string where) { return {Source::kFlag, std::move(where)}; }
Origin file(std::string where) { return {Source::kProjectFile, std::move(where)}; }
PolicyBuilder builder(std::string_view preset = "moderate") { return {preset, kAda, flag("--profile")}; }

std::string problems(PolicyBuilder&& b) {
  auto policy = std::move(b).build();
  EXPECT_FALSE(policy);
  if (policy) return {};
  EXPECT_EQ(policy.error().kind(), ErrorKind::kInvalid);
  return policy.error().text();
}
Policy good(PolicyBuilder&& b) {
  auto policy = std::move(b).build();
  EXPECT_TRUE(policy) << policy.error().text();
  return policy ? std::move(*policy) : Policy{};
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Builder, DefaultWorkspaceIsTheWorkingDirectory) {
  const Policy policy = good(builder());
  EXPECT_EQ(policy.profile, "moderate");
  ASSERT_EQ(policy.workspaces, std::vector<std::string>{"/home/ada/ws"});
  EXPECT_TRUE(policy.paths.back().workspace);
  EXPECT_EQ(policy.paths.back().access, Access::kWrite);
  EXPECT_EQ(policy.paths.back().missing, Missing::kError);
}

TEST(Builder, PathsBecomeAbsoluteAndNormal) {
  const Policy policy = good(std::move(builder()
                                           .read("build/../x", flag("--read"))
                                           .write("~/out", flag("--write"))
                                           .hide("secret.txt", flag("--hide"))
                                           .read("~", flag("--read"))));
  EXPECT_EQ(policy.paths[policy.paths.size() - 5].path, "/home/ada/ws/x");
  EXPECT_EQ(policy.paths[policy.paths.size() - 4].path, "/home/ada/out");
  EXPECT_EQ(policy.paths[policy.paths.size() - 3].path, "/home/ada/ws/secret.txt");
  EXPECT_EQ(policy.paths[policy.paths.size() - 2].path, "/home/ada");
}

TEST(Builder, GathersEveryProblem) {
  const std::string text = problems(std::move(builder("modrate")
                                                  .read("", flag("--read"))
                                                  .write("~bob/x", flag("--write"))
                                                  .timeout("30", flag("--timeout"))
                                                  .env("1X", flag("--env"))
                                                  .read(std::string("a\0b", 3), flag("--read"))
                                                  .write(std::string(300, 'a'), file("pinfold.toml:3"))
                                                  .read("/" + std::string(5000, 'b'), flag("--read"))));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7) << text;
  EXPECT_TRUE(contains(text, "--profile: there is no profile \"modrate\" (did you mean moderate?)")) << text;
  EXPECT_TRUE(contains(text, "--read: the path is empty"));
  EXPECT_TRUE(contains(text, "~user is not supported"));
  EXPECT_TRUE(contains(text, "--timeout: \"30\" has no unit (use a number and a unit, such as 500ms, 30s"));
  EXPECT_TRUE(contains(text, "\"1X\" is not a variable's name"));
  EXPECT_TRUE(contains(text, "NUL byte"));
  EXPECT_TRUE(contains(text, "pinfold.toml:3: the name aaaa"));
  EXPECT_TRUE(contains(text, "longer than 4095 bytes"));
}

TEST(Builder, AcceptsTheLongestNameAndPath) {
  good(std::move(builder().read("/" + std::string(255, 'a'), flag("--read"))));
  std::string path;
  while (path.size() + 4 <= 4095) path += "/abc";
  path.resize(4095, 'x');
  good(std::move(builder().read(path, flag("--read"))));
}

TEST(Builder, NamesWithNewlinesAndBrokenUtf8AreKeptAsTheyAre) {
  const Policy policy = good(std::move(builder().read("/a\nb\xff", flag("--read"))));
  EXPECT_EQ(policy.paths[policy.paths.size() - 2].path, "/a\nb\xff");
}

TEST(Builder, Patterns) {
  const Policy policy = good(std::move(builder().hide("*.key", flag("--hide")).hide("~/a?", flag("--hide"))));
  EXPECT_EQ(policy.patterns[policy.patterns.size() - 2].glob, "*.key");
  EXPECT_EQ(policy.patterns.back().glob, "/home/ada/a?");
  const auto literal = std::find_if(policy.paths.begin(), policy.paths.end(),
                                    [](const auto& r) { return r.path == "/home/ada/ws/*.key"; });
  ASSERT_NE(literal, policy.paths.end());
  EXPECT_EQ(literal->missing, Missing::kSkip);
  EXPECT_TRUE(contains(problems(std::move(builder().hide("[a", flag("--hide")))), "[ without ]"));
}

TEST(Builder, FullAccessNeedsAToken) {
  EXPECT_TRUE(contains(problems(builder("danger-full-access")), "allow(danger::FullAccess"));
  const Policy policy =
      good(std::move(builder("danger-full-access").allow(danger::FullAccess("a test"), flag("--profile"))));
  EXPECT_EQ(policy.home, HomeMode::kHost);
  EXPECT_TRUE(contains(problems(std::move(builder().allow(danger::HostNetwork(""), flag("--net")))), "reason"));
}

TEST(Builder, FlagsReplaceThePreset) {
  EXPECT_EQ(good(std::move(builder("permissive").no_network(flag("--net")))).network.mode, NetworkMode::kNone);
  EXPECT_EQ(good(std::move(builder().allow(danger::HostNetwork("x"), flag("--net")))).network.mode, NetworkMode::kFull);
  EXPECT_EQ(good(std::move(builder().exec_none(flag("--exec")))).exec.mode, ExecMode::kNone);
  const Policy list =
      good(std::move(builder().exec_command("git", flag("--exec")).exec_command("./t", flag("--exec"))));
  EXPECT_EQ(list.exec.mode, ExecMode::kList);
  EXPECT_EQ(list.exec.commands, (std::vector<std::string>{"git", "/home/ada/ws/t"}));
  const Policy limits = good(std::move(builder("strict").memory("2G", flag("--memory")).memory("1G", file("x"))));
  EXPECT_EQ(limits.limits.memory->value, std::uint64_t{2} << 30U) << "a file does not override a flag";
}

TEST(Builder, ContradictionsWithinOneSourceAreProblems) {
  problems(std::move(builder().no_network(flag("--net")).allow(danger::HostNetwork("x"), flag("--net"))));
  problems(std::move(builder().exec_none(flag("--exec")).exec_command("git", flag("--exec"))));
  good(std::move(builder().exec_none(file("f")).exec_command("git", flag("--exec"))));
  good(std::move(builder().no_network(flag("--net")).no_network(flag("--net"))));
}

TEST(Builder, VariablesThatRunCodeOnlyByFlag) {
  for (const char* name : {"LD_PRELOAD", "NODE_OPTIONS=x", "GIT_SSH", "BASH_ENV", "*"}) {
    problems(std::move(builder().env(name, file("pinfold.toml:1"))));
    good(std::move(builder().env(name, flag("--env"))));
  }
  good(std::move(builder().env("GIT_AUTHOR_NAME=x", file("f")).env("MY_*", file("f"))));
  problems(std::move(builder().env("PINFOLD=0", flag("--env"))));
  problems(std::move(builder().env("PINFOLD_NETWORK", flag("--env"))));
  problems(std::move(builder().env("A*=b", flag("--env"))));
  problems(std::move(builder().env("=b", flag("--env"))));
  problems(std::move(builder().env("A B=c", flag("--env"))));
  problems(std::move(builder().env("BIG=" + std::string(200'000, 'x'), flag("--env"))));
  EXPECT_EQ(good(std::move(builder().env("A=b=c", flag("--env")))).environment.back().value, "b=c");
}

TEST(Builder, ProtectedNames) {
  const Policy policy =
      good(std::move(builder().protect("./conf//x/", flag("--protect")).protect("/srv/a", flag("--protect"))));
  EXPECT_EQ(policy.protect[policy.protect.size() - 2].name, "conf/x");
  EXPECT_EQ(policy.protect.back().name, "/srv/a");
  for (const char* bad : {"", ".", "..", "../x", "a/..", "/"})
    problems(std::move(builder().protect(bad, flag("--protect"))));
}

TEST(Builder, KernelInterfacesStayHidden) {
  for (const char* path : {"/proc", "/proc/1/root", "/dev", "/sys/kernel", "/"})
    problems(std::move(builder().write(path, flag("--write"))));
  good(std::move(builder().read("/sys", flag("--read")).read("/dev/kvm", flag("--read")).read("/", flag("--read"))));
}

TEST(Builder, Words) {
  EXPECT_EQ(good(std::move(builder().on_unavailable("warn", flag("x")))).on_unavailable, OnUnavailable::kWarn);
  EXPECT_TRUE(contains(problems(std::move(builder().on_unavailable("wran", flag("x")))), "did you mean warn?"));
}

std::string domains(const Policy& policy) {
  std::string out;
  for (const DomainRule& one : policy.network.domains) out += (out.empty() ? "" : " ") + print_rule(one);
  return out;
}

TEST(Builder, NetworkByName) {
  const Policy policy = good(std::move(builder()
                                           .network_domain("A.org.", file("f:1"))
                                           .network_domain("x.org", flag("--net"))
                                           .network_domain("X.ORG", flag("--net"))
                                           .network_domain("!*.y.org:22", flag("--net"))));
  EXPECT_EQ(policy.network.mode, NetworkMode::kDomains);
  EXPECT_EQ(domains(policy), "x.org !*.y.org:22") << "a later source replaces the whole list";
  EXPECT_EQ(policy.network.domains[0].origin.where, "--net");
  EXPECT_EQ(domains(good(std::move(builder("permissive").network_domain("x.org", flag("--net"))))), "x.org");
  EXPECT_EQ(good(std::move(builder().network_domain("x.org", file("f")).no_network(flag("--net")))).network.mode,
            NetworkMode::kNone);
  EXPECT_TRUE(contains(problems(std::move(builder().network_domain("x..org", flag("--net")))), "between two dots"));
  EXPECT_TRUE(contains(problems(std::move(builder().network_domain("!x.org", flag("--net")))), "none is allowed"));
  EXPECT_TRUE(
      contains(problems(std::move(builder().no_network(flag("--net")).network_domain("x.org", flag("--net")))),
               "--net: network a list of names and none are both asked for (use none, or full, or only names)"));
  EXPECT_TRUE(contains(
      problems(
          std::move(builder().network_domain("x.org", flag("--net")).allow(danger::HostNetwork("x"), flag("--net")))),
      "full and a list of names"));
  PolicyBuilder many = builder();
  for (int i = 0; i < 1025; ++i) many.network_domain("x" + std::to_string(i) + ".org", flag("--net"));
  EXPECT_TRUE(contains(problems(std::move(many)), "more than 1024 names"));
}

TEST(Builder, NetworkByNameHidesTheHostsNameServices) {
  const Policy policy = good(std::move(builder().network_domain("x.org", flag("--net"))));
  for (const char* path : {"/run/nscd", "/var/run/nscd", "/run/systemd/resolve", "/run/avahi-daemon"})
    EXPECT_TRUE(std::any_of(policy.paths.begin(), policy.paths.end(), [&](const PathRule& rule) {
      return rule.path == path && rule.access == Access::kHide;
    })) << path;
}

TEST(Builder, ResolvesSymlinksInRules) {
  const Policy policy = good(std::move(builder()
                                           .resolve("DB.internal.=10.1.2.3", file("f:1"))
                                           .resolve("x.test=10.0.0.1", file("f:2"))
                                           .resolve("db.internal=10.1.2.4,fd00::4", flag("--resolve"))));
  ASSERT_EQ(policy.hosts.size(), 2U);
  EXPECT_EQ(print_hosts(policy.hosts[0]), "db.internal=10.1.2.4,fd00::4") << "the later source decides";
  EXPECT_EQ(print_hosts(policy.hosts[1]), "x.test=10.0.0.1");
  for (const char* wrong : {"x.test", "x.test=", "=10.0.0.1", "x.test=10.0.0", "x.test=10.0.0.1,", "x..test=10.0.0.1"})
    EXPECT_NE(problems(std::move(builder().resolve(wrong, flag("--resolve")))), "") << wrong;
  EXPECT_TRUE(contains(problems(std::move(builder().resolve("a.localhost=10.0.0.1", flag("--resolve")))),
                       "localhost is the sandbox itself"));
}

TEST(Builder, FullNetworkShowsTheResolverConfiguration) {
  EXPECT_EQ(good(builder("permissive")).paths.back().path, "/etc/resolv.conf");
}

}  // namespace
}  // namespace pinfold
