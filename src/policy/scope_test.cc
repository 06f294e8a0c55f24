// scope_test.cc: precedence, patterns, protected names, and words, on a host in memory.
// Not here: how rules become canonical (scope_build_test.cc).
#include "policy/scope.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::policy {
namespace {

const Caller kAda{"/home/ada", "/home/ada/ws"};
Origin flag(std::string where) { return {Source::kFlag, std::move(where)}; }

class ScopeTest : public testing::Test {
 protected:
  ScopeTest() {
    host.debian()
        .dir("/home/ada/ws/src")
        .dir("/home/ada/ws/.git/hooks")
        .file("/home/ada/ws/.env")
        .dir("/home/ada/.ssh");
    host.dir("/home/ada/.cargo/bin").dir("/home/ada/ws/.vscode/sub").dir("/srv/data/deep").dir("/home/ada/ws/out");
  }
  PolicyBuilder builder(std::string_view preset = "moderate") { return {preset, kAda, flag("--profile")}; }
  Scope scope(PolicyBuilder&& b) {
    auto policy = std::move(b).build();
    EXPECT_TRUE(policy) << policy.error().text();
    auto built = Scope::build(*policy, host);
    EXPECT_TRUE(built) << built.error().text();
    return std::move(*built);
  }
  Scope scope() { return scope(builder()); }

  FakeHost host;
};

TEST_F(ScopeTest, Moderate) {
  const Scope s = scope();
  EXPECT_EQ(s.decide("/usr/bin/dash").access, Access::kRead);
  EXPECT_EQ(s.decide("/usr/share/x").reason, "read /usr (preset moderate)");
  EXPECT_EQ(s.decide("/usr/share/x").allow_with, "--write /usr/share/x");
  EXPECT_EQ(s.decide("/etc/shadow").access, Access::kHide);
  EXPECT_EQ(s.decide("/home/ada/.ssh/id_rsa").access, Access::kHide);
  EXPECT_EQ(s.decide("/home/ada/.ssh/id_rsa").reason, "hide /home/ada (preset moderate)");
  EXPECT_EQ(s.decide("/home/ada/.ssh/id_rsa").allow_with, "--read /home/ada/.ssh/id_rsa");
  EXPECT_EQ(s.decide("/home/ada/.cargo/bin/cargo").access, Access::kRead);
  EXPECT_EQ(s.decide("/home/ada/.cargo/credentials.toml").access, Access::kHide);
  EXPECT_EQ(s.decide("/home/ada/ws/src/x.c").access, Access::kWrite);
  EXPECT_EQ(s.decide("/home/ada/ws/src/x.c").allow_with, "");
  EXPECT_EQ(s.decide("/home/ada/wsx").access, Access::kHide);
  EXPECT_EQ(s.decide("/srv/data").reason, "no rule grants this path");
  EXPECT_EQ(s.decide("/").access, Access::kHide);
  EXPECT_EQ(s.decide("/").allow_with, "");
  EXPECT_EQ(s.workspaces(), std::vector<std::string>{"/home/ada/ws"});
}

TEST_F(ScopeTest, OwnDirectories) {
  const Scope s = scope(std::move(builder().read("/", flag("--read"))));
  EXPECT_EQ(s.decide("/tmp/x").access, Access::kHide);
  EXPECT_EQ(s.decide("/tmp/x").reason, "the sandbox has its own /tmp; the host's is not shown");
  EXPECT_EQ(s.decide("/proc/1/environ").access, Access::kHide);
  EXPECT_EQ(s.decide("/dev/sda").allow_with, "");
  EXPECT_EQ(s.decide("/srv").access, Access::kRead);
  EXPECT_EQ(s.decide("/home/ada/.ssh").access, Access::kHide) << "the home stays hidden until it is named";
  EXPECT_EQ(s.decide("/run/docker.sock").access, Access::kHide);
}

TEST_F(ScopeTest, MostSpecificWins) {
  const Scope s = scope(std::move(builder()
                                      .write("/srv", flag("--write"))
                                      .hide("/srv/data", flag("--hide"))
                                      .read("/srv/data/deep", flag("--read"))));
  EXPECT_EQ(s.decide("/srv/x").access, Access::kWrite);
  EXPECT_EQ(s.decide("/srv/data/x").access, Access::kHide);
  EXPECT_EQ(s.decide("/srv/data/deep/x").access, Access::kRead);
  EXPECT_EQ(s.decide("/srv/data/deep/x").reason, "--read /srv/data/deep");
}

TEST_F(ScopeTest, EqualPathLaterSourceThenStricter) {
  const Scope later =
      scope(std::move(builder().read("/etc/shadow", flag("--read")).read("/home/ada/ws", flag("--read"))));
  EXPECT_EQ(later.decide("/etc/shadow").access, Access::kRead);
  EXPECT_EQ(later.decide("/home/ada/ws/x").access, Access::kRead);
  const Scope same = scope(std::move(builder().write("/srv", flag("--write")).read("/srv", flag("--read"))));
  EXPECT_EQ(same.decide("/srv/x").access, Access::kRead);
  EXPECT_EQ(same.decide("/srv").allow_with, "") << "a flag cannot lift another flag's rule for the same path";
  const Scope file =
      scope(std::move(builder().hide("/srv", {Source::kUserFile, "u"}).read("/srv", {Source::kProjectFile, "p"})));
  EXPECT_EQ(file.decide("/srv").access, Access::kRead);
  const Scope given = scope(std::move(
      builder("strict").workspace("/home/ada/ws", flag("--workspace")).write("/home/ada/ws", flag("--write"))));
  EXPECT_EQ(given.decide("/home/ada/ws/x").access, Access::kWrite) << "an explicit rule beats the workspace's own";
}

TEST_F(ScopeTest, Patterns) {
  const Scope s = scope(std::move(
      builder().hide("out/**/*.k", flag("--hide")).hide("/srv/*/deep", flag("--hide")).read("/srv", flag("--read"))));
  const Decision env = s.decide("/home/ada/ws/a/b/.env");
  EXPECT_EQ(env.access, Access::kHide);
  ASSERT_NE(env.pattern, nullptr);
  EXPECT_EQ(env.reason, "pattern **/.env (preset moderate)");
  EXPECT_EQ(s.decide("/home/ada/ws/.env/inside").access, Access::kHide);
  EXPECT_EQ(s.decide("/home/ada/ws/.environment").access, Access::kWrite);
  EXPECT_EQ(s.decide("/home/ada/ws/out/x/y.k").access, Access::kHide);
  EXPECT_EQ(s.decide("/home/ada/ws/x/out/y.k").access, Access::kWrite);
  EXPECT_EQ(s.decide("/srv/data/deep/x").access, Access::kHide);
  EXPECT_EQ(s.decide("/srv/data/.env").access, Access::kRead) << "relative patterns are for workspaces";
}

TEST_F(ScopeTest, AnExplicitRuleLiftsAPresetPattern) {
  const Scope s = scope(std::move(builder().read(".env", flag("--read"))));
  EXPECT_EQ(s.decide("/home/ada/ws/.env").access, Access::kRead);
  const Scope both = scope(std::move(builder().read(".env", flag("--read")).hide("**/.env", flag("--hide"))));
  EXPECT_EQ(both.decide("/home/ada/ws/.env").access, Access::kHide);
}

TEST_F(ScopeTest, ProtectedNames) {
  const Scope s = scope();
  const Decision hook = s.decide("/home/ada/ws/.git/hooks/pre-commit");
  EXPECT_EQ(hook.access, Access::kRead);
  ASSERT_NE(hook.protection, nullptr);
  EXPECT_EQ(hook.reason, "protected name .git/hooks (preset moderate)");
  EXPECT_EQ(hook.allow_with, "--write /home/ada/ws/.git/hooks/pre-commit");
  EXPECT_EQ(s.decide("/home/ada/ws/.git/objects/x").access, Access::kWrite);
  EXPECT_EQ(s.decide("/home/ada/ws/deep/.vscode").access, Access::kRead);
  EXPECT_EQ(s.decide("/home/ada/ws/.vscode2").access, Access::kWrite);
}

TEST_F(ScopeTest, AnExplicitWriteLiftsProtectionOfThatPathOnly) {
  const Scope s =
      scope(std::move(builder().write(".git/hooks", flag("--write")).write(".vscode/sub", flag("--write"))));
  EXPECT_EQ(s.decide("/home/ada/ws/.git/hooks/pre-commit").access, Access::kWrite);
  EXPECT_EQ(s.decide("/home/ada/ws/.git/config").access, Access::kRead);
  EXPECT_EQ(s.decide("/home/ada/ws/.vscode/sub/x").access, Access::kWrite);
  EXPECT_EQ(s.decide("/home/ada/ws/.vscode/tasks.json").access, Access::kRead);
  const Scope above = scope(std::move(builder().write(".git", flag("--write"))));
  EXPECT_EQ(above.decide("/home/ada/ws/.git/hooks/x").access, Access::kRead) << "the name is more specific than .git";
  const Scope both = scope(std::move(builder().write("out", flag("--write")).protect("out", flag("--protect"))));
  EXPECT_EQ(both.decide("/home/ada/ws/out/x").access, Access::kRead);
}

TEST_F(ScopeTest, TenThousandRulesQueryTheHostOnceEach) {
  PolicyBuilder b = builder();
  for (int i = 0; i < 10'000; ++i) {
    host.dir("/srv/many/d" + std::to_string(i));
    b.read("/srv/many/d" + std::to_string(i), flag("--read"));
  }
  const std::size_t before = host.calls();
  const Scope s = scope(std::move(b));
  EXPECT_LT(host.calls() - before, 10'200U);
  EXPECT_GE(s.rules().size(), 10'000U);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(s.look_up("/srv/many/d" + std::to_string(i) + "/x").access, Access::kRead);
  EXPECT_EQ(s.look_up("/srv/many/e").access, Access::kHide);
}

TEST_F(ScopeTest, CopiesDecideOnTheirOwn) {
  auto original = std::make_unique<Scope>(scope());
  const Scope copy = *original;
  original.reset();
  EXPECT_EQ(copy.decide("/usr/bin").access, Access::kRead);
}

TEST_F(ScopeTest, RulesAreShallowToDeep) {
  const Scope s = scope();
  std::size_t last = 0;
  for (const auto& rule : s.rules()) {
    const auto depth = static_cast<std::size_t>(std::count(rule.path.begin(), rule.path.end(), '/'));
    EXPECT_GE(depth, last);
    last = depth;
  }
  EXPECT_EQ(s.above("/usr/bin")->path, "/usr");
  EXPECT_EQ(s.above("/usr"), nullptr);
  EXPECT_EQ(s.at("/usr")->path, "/usr");
}

}  // namespace
}  // namespace pinfold::policy
