// live_scope_test.cc: decisions about user-written paths, and workspaces added later, on a host in memory.
// Not here: precedence of rules (policy/scope_test.cc).
#include "library/live_scope.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::library {
namespace {

const Caller kAda{"/home/ada", "/home/ada/ws"};
const Origin kApi{Source::kApi, "test"};

class LiveScopeTest : public testing::Test {
 protected:
  LiveScopeTest() {
    host.debian().dir("/home/ada/ws/src").dir("/home/ada/other/.git/hooks").file("/home/ada/other/.env");
    host.dir("/home/ada/.ssh").dir("/usr/share/doc").dir("/srv/data/deep").link("/home/ada/ws/out", "/srv/data");
    host.link("/home/ada/ws/gone", "/srv/gone").link("/home/ada/ws/loop", "loop");
  }
  PolicyBuilder builder(std::string_view preset = "moderate") { return {preset, kAda, kApi}; }
  LiveScope open(PolicyBuilder from) {
    auto policy = std::move(from).build();
    EXPECT_TRUE(policy) << policy.error().text();
    auto live = LiveScope::open(*policy, kAda, host);
    EXPECT_TRUE(live) << live.error().text();
    return std::move(*live);
  }
  static Access access(const LiveScope& live, std::string_view path) {
    auto decision = live.decide(path);
    EXPECT_TRUE(decision) << decision.error().text();
    return decision ? decision->access : Access::kHide;
  }

  FakeHost host;
};

TEST_F(LiveScopeTest, AcceptsPathsInAnySpelling) {
  const LiveScope live = open(builder());
  EXPECT_EQ(access(live, "src/x.c"), Access::kWrite);
  EXPECT_EQ(access(live, "./src/../src/new/deep.c"), Access::kWrite);
  EXPECT_EQ(access(live, "../.ssh/id"), Access::kHide);
  EXPECT_EQ(access(live, "~/.ssh"), Access::kHide);
  EXPECT_EQ(live.decide("~/ws/src")->path, "/home/ada/ws/src");
  EXPECT_FALSE(live.decide(""));
  EXPECT_FALSE(live.decide(std::string_view("a\0b", 3)));
  EXPECT_FALSE(live.decide("loop"));
}

TEST_F(LiveScopeTest, ResolvesSymlinks) {
  const LiveScope live = open(builder());
  EXPECT_EQ(live.decide("out/deep")->path, "/srv/data/deep");
  EXPECT_EQ(access(live, "out/deep"), Access::kHide);
  // Not lexical: ".." is the parent of the symlink's target.
  EXPECT_EQ(live.decide("out/../x")->path, "/srv/x");
  // Writing to a dangling symlink creates its target.
  EXPECT_EQ(live.decide("gone")->path, "/srv/gone");
  EXPECT_EQ(access(live, "gone"), Access::kHide);
}

TEST_F(LiveScopeTest, NamesTheRule) {
  const LiveScope live = open(builder().hide("/usr/share", kApi));
  const auto decision = live.decide("/usr/share/doc");
  EXPECT_EQ(decision->rule, "hide /usr/share (test)");
  EXPECT_EQ(decision->origin.source, Source::kApi);
  EXPECT_EQ(decision->allow_with, "--read /usr/share/doc");
  EXPECT_EQ(live.decide("/proc/1")->origin.where, "");
}

TEST_F(LiveScopeTest, AddsARootAndKeepsOtherRules) {
  LiveScope live = open(builder().hide("**/.env", kApi));
  const std::vector<std::string> elsewhere = {"/",           "/home/ada",   "/home/ada/.ssh/id", "/home/ada/otherwise",
                                              "/etc/passwd", "/etc/shadow", "/srv/data",         "src/x",
                                              "/tmp/x",      "/usr/bin",    "/home/ada/ws/.git", "/home/ada/.bashrc"};
  std::vector<Access> before;
  for (const auto& path : elsewhere) before.push_back(access(live, path));
  EXPECT_EQ(access(live, "~/other/x"), Access::kHide);

  ASSERT_TRUE(live.add_workspace("~/other"));
  EXPECT_EQ(access(live, "~/other/x"), Access::kWrite);
  EXPECT_EQ(access(live, "~/other/.env"), Access::kHide);
  EXPECT_EQ(access(live, "~/other/.git/hooks/pre-commit"), Access::kRead);
  EXPECT_EQ(access(live, "~/other/.vscode"), Access::kRead);
  std::vector<Access> after;
  for (const auto& path : elsewhere) after.push_back(access(live, path));
  EXPECT_EQ(after, before);
  EXPECT_EQ(live.policy().workspaces, (std::vector<std::string>{"/home/ada/ws", "/home/ada/other"}));
  // Adding it twice changes nothing.
  ASSERT_TRUE(live.add_workspace("/home/ada/other/"));
  EXPECT_EQ(live.policy().workspaces.size(), 2U);
}

TEST_F(LiveScopeTest, TheRootHasThePolicysAccess) {
  LiveScope live = open(builder("read-only"));
  ASSERT_TRUE(live.add_workspace("../other"));
  EXPECT_EQ(access(live, "/home/ada/other/x"), Access::kRead);
}

TEST_F(LiveScopeTest, AddsAllRootsOrNone) {
  LiveScope live = open(builder());
  const std::size_t rules = live.policy().paths.size();
  for (const char* bad : {"/missing", "~", "/", "/home", "/tmp", "/usr/bin/dash", "", "/proc/1", "~/ws/out"}) {
    EXPECT_FALSE(live.add_workspace(bad)) << bad;
    EXPECT_EQ(live.policy().paths.size(), rules) << bad;
    EXPECT_EQ(live.policy().workspaces.size(), 1U) << bad;
    EXPECT_EQ(access(live, "/srv/data/x"), Access::kHide) << bad;
    EXPECT_EQ(access(live, "src/x"), Access::kWrite) << bad;
  }
}

// A path that is visible through a symlink in the new root is not dropped silently.
TEST_F(LiveScopeTest, ARootThatWouldChangeAnotherRuleIsRefused) {
  host.link("/home/ada/other/sdk", "/srv/data");
  LiveScope live = open(builder().read("/home/ada/other/sdk", kApi, Missing::kSkip));
  EXPECT_EQ(access(live, "/srv/data/x"), Access::kRead);
  EXPECT_FALSE(live.add_workspace("/home/ada/other"));
  EXPECT_EQ(access(live, "/srv/data/x"), Access::kRead);
  EXPECT_EQ(access(live, "/home/ada/other/x"), Access::kHide);
}

TEST_F(LiveScopeTest, AHundredRootsOneAfterTheOther) {
  LiveScope live = open(builder());
  for (int i = 0; i < 100; ++i) {
    const std::string root = "/srv/project" + std::to_string(i);
    host.file(root + "/.env").dir(root + "/.git/hooks").dir(root + "/src");
    const auto added = live.add_workspace(root);
    ASSERT_TRUE(added) << added.error().text();
  }
  EXPECT_EQ(live.policy().workspaces.size(), 101U);
  for (int i = 0; i < 100; ++i) {
    const std::string root = "/srv/project" + std::to_string(i);
    EXPECT_EQ(access(live, root + "/src/x.c"), Access::kWrite);
    EXPECT_EQ(access(live, root + "/.env"), Access::kHide);
    EXPECT_EQ(access(live, root + "/.git/hooks/x"), Access::kRead);
  }
  EXPECT_EQ(access(live, "/srv/data"), Access::kHide);
}

}  // namespace
}  // namespace pinfold::library
