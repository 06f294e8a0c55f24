// home_test.cc: the made-up home directory.
// Not here: what git's configuration may contain (git_identity_test.cc).
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class HomeTest : public testing::Test, protected PlanFixture {};

TEST_F(HomeTest, ScratchHomeHasPrivateCaches) {
  const Plan made = plan();
  EXPECT_NE(at<MakeDirectory>(made, "/home/ada"), nullptr);
  const auto* cache = at<ShowPath>(made, "/home/ada/.cache");
  ASSERT_NE(cache, nullptr);
  EXPECT_TRUE(cache->host.starts_with("/home/ada/.cache/pinfold/projects/"));
  EXPECT_TRUE(cache->host.ends_with("/home"));
  EXPECT_EQ(cache->ensure, Ensure::kCreate);
  ASSERT_NE(at<MakeLink>(made, "/home/ada/.npm"), nullptr);
  EXPECT_EQ(at<MakeLink>(made, "/home/ada/.npm")->target, ".cache/npm");
  EXPECT_NE(std::find(cache->subdirectories.begin(), cache->subdirectories.end(), "npm"), cache->subdirectories.end())
      << "a dangling link would make mkdir fail";
  EXPECT_EQ(at<MakeLink>(made, "/home/ada/.local/state")->target, "../.cache/state");
  EXPECT_EQ(at<MakeFile>(made, "/home/ada/.gitconfig"), nullptr);
}

TEST_F(HomeTest, ProjectsDoNotShareCaches) {
  host.dir("/home/ada/other");
  const Plan one = plan();
  const Plan two =
      plan(std::move(builder().workspace("/home/ada/other", flag("--workspace")).read("/home/ada/ws", flag("--read"))));
  EXPECT_NE(at<ShowPath>(one, "/home/ada/.cache")->host, at<ShowPath>(two, "/home/ada/.cache")->host);
}

TEST_F(HomeTest, DoesNotTouchCachesOfOtherProjects) {
  const std::string usual(paths::parent(at<ShowPath>(plan(), "/home/ada/.cache")->host));
  host.file(usual + "/project", "/home/ada/ws");
  EXPECT_EQ(at<ShowPath>(plan(), "/home/ada/.cache")->host, usual + "/home");
  host.file(usual + "/project", "/home/ada/wsx");
  EXPECT_EQ(at<ShowPath>(plan(), "/home/ada/.cache")->host, usual + "-2/home");
}

TEST_F(HomeTest, RulesOutrankLinks) {
  host.dir("/home/ada/.m2/repository")
      .dir("/home/ada/.cargo/bin")
      .dir("/home/ada/go/pkg")
      .dir("/home/ada/.cache/ms-playwright");
  const Plan made = plan(
      std::move(builder().read("~/.m2/repository", flag("--read")).read("~/.cache/ms-playwright", flag("--read"))));
  EXPECT_EQ(at<MakeLink>(made, "/home/ada/.m2"), nullptr);
  EXPECT_EQ(at<MakeLink>(made, "/home/ada/.cargo"), nullptr);
  EXPECT_EQ(at<MakeLink>(made, "/home/ada/go"), nullptr);
  EXPECT_NE(at<MakeLink>(made, "/home/ada/.npm"), nullptr);
  const auto& inside = at<ShowPath>(made, "/home/ada/.cache")->subdirectories;
  EXPECT_NE(std::find(inside.begin(), inside.end(), "ms-playwright"), inside.end()) << "something to show it on";
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/.cache/ms-playwright")->host, "/home/ada/.cache/ms-playwright");
}

TEST_F(HomeTest, MakesNoNestedEntriesInTheWritableCache) {
  host.dir("/home/ada/.cache/a/b/c").file("/home/ada/.cache/f");
  const Plan deep = plan(std::move(builder().read("~/.cache/a/b/c", flag("--read"))));
  for (const std::string& name : at<ShowPath>(deep, "/home/ada/.cache")->subdirectories)
    EXPECT_EQ(name.find('/'), std::string::npos) << name << ": could lead through a symlink that a command planted";
  EXPECT_NE(at<HidePath>(deep, "/home/ada/.cache/a"), nullptr);
  EXPECT_NE(at<ShowPath>(deep, "/home/ada/.cache/a/b/c"), nullptr);
  const Plan file = plan(std::move(builder().read("~/.cache/f", flag("--read"))));
  EXPECT_EQ(at<ShowPath>(file, "/home/ada/.cache"), nullptr);
  EXPECT_NE(at<ShowPath>(file, "/home/ada/.cache/f"), nullptr);
  host.dir("/home/ada/ws/cache").var("XDG_CACHE_HOME", "/home/ada/ws/cache");
  EXPECT_EQ(at<ShowPath>(plan(), "/home/ada/.cache"), nullptr)
      << "a cache directory that commands can replace is no place";
}

TEST_F(HomeTest, ARuleForTheCacheItselfReplacesThePrivateOne) {
  host.dir("/home/ada/.cache");
  const Plan made = plan(std::move(builder().write("~/.cache", flag("--write"))));
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/.cache")->host, "/home/ada/.cache");
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/.cache")->ensure, Ensure::kExists);
}

TEST_F(HomeTest, CachesFollowTheEnvironment) {
  host.dir("/big/cache").link("/home/ada/c", "/big/cache").var("XDG_CACHE_HOME", "/home/ada/c");
  EXPECT_TRUE(at<ShowPath>(plan(), "/home/ada/.cache")->host.starts_with("/big/cache/pinfold/projects/"));
}

TEST_F(HomeTest, WithoutAHomeNoScratchHome) {
  for (const char* home : {"/nonexistent", "/", "relative", ""}) {
    host.var("HOME", home).home(home);
    auto policy = PolicyBuilder("moderate", Caller{home, "/home/ada/ws"}, flag("--profile")).build();
    ASSERT_TRUE(policy);
    auto scope = policy::Scope::build(*policy, host);
    ASSERT_TRUE(scope);
    auto made = compile(*scope, host, invocation, bounds);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_TRUE(all<MakeDirectory>(*made).empty()) << home;
  }
}

TEST_F(HomeTest, GitIdentityIsCopied) {
  host.file("/home/ada/.config/git/config", "[user]\nemail = old@x\n[core]\nhooksPath = /evil\n");
  host.file("/home/ada/.gitconfig", "[user]\nname = Ada\nemail = ada@x\n[alias]\nx = !sh\n");
  const Plan made = plan();
  ASSERT_NE(at<MakeFile>(made, "/home/ada/.gitconfig"), nullptr);
  EXPECT_EQ(at<MakeFile>(made, "/home/ada/.gitconfig")->content, "[user]\n\tname = \"Ada\"\n\temail = \"ada@x\"\n");
}

TEST_F(HomeTest, PermissiveShowsTheHomeWithoutCredentials) {
  host.dir("/home/ada/.ssh").dir("/home/ada/.config").file("/home/ada/.npmrc").dir("/home/ada/docs");
  const Plan made = plan(builder("permissive"));
  EXPECT_EQ(at<ShowPath>(made, "/home/ada")->view, View::kReadExec);
  for (const char* path : {"/home/ada/.ssh", "/home/ada/.config", "/home/ada/.npmrc"})
    EXPECT_NE(at<HidePath>(made, path), nullptr);
  EXPECT_TRUE(all<MakeDirectory>(made).empty());
}

TEST_F(HomeTest, AHomeBehindASymlink) {
  host.dir("/data/home/ada/ws").link("/home/bob", "/data/home/ada").var("HOME", "/home/bob").home("/home/bob");
  invocation.working_dir = "/home/bob/ws";
  auto policy = PolicyBuilder("moderate", Caller{"/home/bob", "/home/bob/ws"}, flag("--profile")).build();
  auto scope = policy::Scope::build(*policy, host);
  ASSERT_TRUE(scope) << scope.error().text();
  auto made = compile(*scope, host, invocation, bounds);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_NE(at<MakeLink>(*made, "/home/bob"), nullptr);
  EXPECT_NE(at<MakeDirectory>(*made, "/data/home/ada"), nullptr);
  EXPECT_NE(at<ShowPath>(*made, "/data/home/ada/ws"), nullptr);
  EXPECT_EQ(made->working_dir, "/data/home/ada/ws");
}

}  // namespace
}  // namespace pinfold::plan
