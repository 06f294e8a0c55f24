// search_test.cc: the paths that patterns hide, and the behaviour at the bounds.
// Not here: pattern syntax (base/glob_test.cc).
#include <gtest/gtest.h>

#include "pinfold/coverage.h"
#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class SearchTest : public testing::Test, protected PlanFixture {};

TEST_F(SearchTest, PatternsHideFilesAndDirectories) {
  host.file("/home/ada/ws/.env")
      .file("/home/ada/ws/a/b/id_rsa")
      .dir("/home/ada/ws/secrets/.env")
      .file("/home/ada/ws/x.k");
  const Plan made = plan(std::move(
      builder().hide("secrets/", flag("--hide")).hide("*.k", flag("--hide")).hide("secret[s]", flag("--hide"))));
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/.env")->kind, EntryKind::kFile);
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/.env")->pattern, "**/.env");
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/a/b/id_rsa"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/secrets")->kind, EntryKind::kDirectory);
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/secrets/.env"), nullptr) << "hidden with its directory";
  EXPECT_EQ(step_of(made, at<HidePath>(made, "/home/ada/ws/.env"))->need, Need::kBestEffort);
  EXPECT_EQ(step_of(made, at<HidePath>(made, "/home/ada/ws/x.k"))->need, Need::kRequired);
}

TEST_F(SearchTest, PatternsAlsoInAReadOnlyWorkspace) {
  host.file("/home/ada/ws/server.pem");
  EXPECT_NE(at<HidePath>(plan(builder("strict")), "/home/ada/ws/server.pem"), nullptr);
  EXPECT_EQ(at<HidePath>(plan(), "/home/ada/ws/server.pem"), nullptr);
}

TEST_F(SearchTest, AnExplicitReadOutranksAPattern) {
  host.file("/home/ada/ws/.env").dir("/home/ada/ws/secrets/pub");
  const Plan made = plan(std::move(
      builder().read(".env", flag("--read")).hide("secret?", flag("--hide")).read("secrets/pub", flag("--read"))));
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/.env"), nullptr);
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/ws/.env")->kind, EntryKind::kFile);
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/secrets"), nullptr);
  EXPECT_NE(at<ShowPath>(made, "/home/ada/ws/secrets/pub"), nullptr);
}

TEST_F(SearchTest, AMatchingSymlinkHidesItsTargetInTheWorkspace) {
  host.file("/home/ada/ws/conf/dev").link("/home/ada/ws/.env", "conf/dev").link("/home/ada/ws/a/.env", "/usr/bin");
  const Plan made = plan();
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/conf/dev"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/usr/bin"), nullptr) << "a planted link cannot hide the system";
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/.env"), nullptr);
}

TEST_F(SearchTest, AbsolutePatterns) {
  host.file("/srv/a/key").file("/srv/b/c/key").file("/opt/key");
  const Plan made = plan(std::move(builder().read("/srv", flag("--read")).hide("/srv/*/key", flag("--hide"))));
  EXPECT_NE(at<HidePath>(made, "/srv/a/key"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/srv/b/c/key"), nullptr);
  const Plan below = plan(std::move(builder().read("/srv/b", flag("--read")).hide("/srv/**/key", flag("--hide"))));
  EXPECT_NE(at<HidePath>(below, "/srv/b/c/key"), nullptr) << "shown below the prefix";
  EXPECT_EQ(at<HidePath>(below, "/srv/a/key"), nullptr) << "not shown at all";
}

TEST_F(SearchTest, BeyondTheBoundAPresetIsAGap) {
  for (int i = 0; i < 30; ++i) host.file("/home/ada/ws/d" + std::to_string(10 + i) + "/x/.env");
  host.file("/home/ada/ws/.env").dir("/home/ada/ws/.vscode");
  bounds.entries = 40;
  const Plan made = plan();
  ASSERT_EQ(made.gaps.size(), 2U);
  EXPECT_EQ(made.gaps[0].step, step_name::kPatterns);
  EXPECT_EQ(made.gaps[0].need, Need::kBestEffort);
  EXPECT_NE(made.gaps[0].gap.find("/home/ada/ws/d"), std::string::npos) << made.gaps[0].gap;
  EXPECT_EQ(made.gaps[1].step, step_name::kProtectedBelow);
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/.env"), nullptr) << "the top is always searched";
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/.vscode"), nullptr);
}

TEST_F(SearchTest, BeyondTheBoundAUsersPatternRefuses) {
  for (int i = 0; i < 30; ++i) host.dir("/home/ada/ws/d" + std::to_string(10 + i));
  bounds.entries = 20;
  auto refused = try_plan(std::move(builder().hide("*.k", flag("--hide"))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  EXPECT_NE(refused.error().text().find("/home/ada/ws/d10"), std::string::npos) << refused.error().text();
  EXPECT_FALSE(refused.error().fix().empty());
}

TEST_F(SearchTest, TheSearchHasATimeLimit) {
  for (int i = 0; i < 30; ++i) host.dir("/home/ada/ws/d" + std::to_string(10 + i));
  host.list_takes_ms(10);
  const Plan made = plan();
  EXPECT_LE(host.lists(), 8U);
  EXPECT_FALSE(made.gaps.empty());
}

// A call to the host cannot be interrupted: the bound, plus a call that began before it.
TEST_F(SearchTest, TheTimeLimitHoldsInsideALargeDirectory) {
  for (int i = 0; i < 1000; ++i) host.file("/home/ada/ws/big/f" + std::to_string(1000 + i));
  host.file("/home/ada/ws/big/.env").file("/home/ada/ws/big/x/.env").list_takes_ms(10, 10);
  const std::uint64_t began = host.now_ms();
  const Plan made = plan();
  EXPECT_LE(host.now_ms() - began, bounds.milliseconds + 10);
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/big/.env"), nullptr) << "the entries that were read count";
  ASSERT_EQ(made.gaps.size(), 2U);
  EXPECT_NE(made.gaps[0].gap.find("/home/ada/ws/big"), std::string::npos) << made.gaps[0].gap;
  EXPECT_FALSE(try_plan(std::move(builder().hide("*.k", flag("--hide")))));
}

TEST_F(SearchTest, ATopTooLargeToListIsStillGuarded) {
  for (int i = 0; i < 1000; ++i) host.file("/home/ada/ws/f" + std::to_string(1000 + i));
  host.file("/home/ada/ws/pinfold.toml").list_takes_ms(0, 100);
  bounds.entries = 300;
  const Plan made = plan();
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/pinfold.toml"), nullptr);
  EXPECT_NE(name(made, "/home/ada/ws", ".vscode"), nullptr);
  ASSERT_FALSE(made.gaps.empty());
  EXPECT_EQ(made.gaps[0].step, step_name::kPatterns);
}

TEST_F(SearchTest, TheTimeLimitHoldsBetweenSingleQueries) {
  host.look_takes_ms(10);
  const auto takes_ms = [&] {
    const std::uint64_t began = host.now_ms();
    plan();
    return host.now_ms() - began;
  };
  const std::uint64_t without = takes_ms();
  for (int i = 0; i < 40; ++i) host.dir("/home/ada/ws/d" + std::to_string(10 + i) + "/.git");
  const std::uint64_t one_repository = 80;
  EXPECT_LE(takes_ms() - without, bounds.milliseconds + one_repository);
  EXPECT_FALSE(plan().gaps.empty());
}

TEST_F(SearchTest, GeneratedDirectoriesAreSearchedLast) {
  for (int i = 0; i < 30; ++i) host.file("/home/ada/ws/node_modules/p" + std::to_string(10 + i) + "/lib/.env");
  host.file("/home/ada/ws/packages/app/conf/.env");
  bounds.entries = 20;
  const Plan made = plan();
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/packages/app/conf/.env"), nullptr);
  ASSERT_FALSE(made.gaps.empty());
  EXPECT_NE(made.gaps[0].gap.find("/home/ada/ws/node_modules/p10, "), std::string::npos) << made.gaps[0].gap;
  EXPECT_NE(made.gaps[0].gap.find(" and 27 more directories"), std::string::npos) << made.gaps[0].gap;
}

TEST_F(SearchTest, RepositoriesInsideARepositoryAreBoundedToo) {
  for (int i = 0; i < 30; ++i) {
    const std::string module = "/home/ada/ws/.git/modules/m" + std::to_string(10 + i);
    host.file(module + "/HEAD").file(module + "/config");
  }
  host.list_takes_ms(10);
  const Plan made = plan();
  EXPECT_LE(host.lists(), 12U);
  ASSERT_EQ(made.gaps.size(), 1U + 2U);
  EXPECT_NE(made.gaps[0].gap.find("/home/ada/ws/.git/modules/m"), std::string::npos) << made.gaps[0].gap;
}

TEST_F(SearchTest, ManyWorkspaces) {
  PolicyBuilder many = builder();
  many.workspace("/home/ada/ws", flag("--workspace"));
  for (int i = 0; i < 100; ++i) {
    const std::string root = "/srv/w" + std::to_string(i);
    host.file(root + "/a/.env").dir(root + "/.vscode");
    many.workspace(root, flag("--workspace"));
  }
  const Plan made = plan(std::move(many));
  EXPECT_TRUE(made.gaps.empty());
  for (int i = 0; i < 100; ++i) {
    const std::string root = "/srv/w" + std::to_string(i);
    EXPECT_NE(at<HidePath>(made, root + "/a/.env"), nullptr);
    EXPECT_NE(at<ProtectPath>(made, root + "/.vscode"), nullptr);
    EXPECT_NE(name(made, root, ".mcp.json"), nullptr);
  }
}

TEST_F(SearchTest, AnUnsearchedProtectFlagIsARequiredGap) {
  for (int i = 0; i < 30; ++i) host.dir("/home/ada/ws/d" + std::to_string(10 + i));
  bounds.entries = 20;
  const Plan made = plan(std::move(builder().protect("keep", flag("--protect"))));
  ASSERT_EQ(made.gaps.size(), 2U);
  EXPECT_EQ(made.gaps[1].need, Need::kRequired);
}

TEST_F(SearchTest, HiddenDirectoriesAndGitAreNotEntered) {
  host.file("/home/ada/ws/.git/objects/.env").file("/home/ada/ws/private/.env").dir("/home/ada/ws/src/deep");
  const Plan made = plan(std::move(builder().hide("private", flag("--hide"))));
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/.git/objects/.env"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/private/.env"), nullptr);
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/private"), nullptr);
}

// Its owner could chmod it from inside: it is read-only for the run.
TEST_F(SearchTest, UnreadableDirectoriesStayUnreadable) {
  host.file("/home/ada/ws/a/locked/.env").closed("/home/ada/ws/a/locked");
  host.file("/home/ada/ws/listed/deep/.vscode/x").unsearchable("/home/ada/ws/listed");
  const Plan made = plan();
  ASSERT_NE(at<ProtectPath>(made, "/home/ada/ws/a/locked"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/a/locked")->pins, std::vector<std::string>{"/home/ada/ws/a"});
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/listed"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/listed/deep"), nullptr);
  EXPECT_TRUE(made.gaps.empty()) << "nothing in them can be reached";
}

TEST_F(SearchTest, ASearchOnlyDirectoryStaysUnchanged) {
  host.file("/home/ada/ws/r.git/HEAD").file("/home/ada/ws/r.git/config").unreadable("/home/ada/ws/r.git");
  const Plan made = plan();
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/r.git"), nullptr);
  ASSERT_EQ(made.gaps.size(), 1U) << "files with known names can be read";
  EXPECT_EQ(made.gaps[0].step, step_name::kPatterns);
}

TEST_F(SearchTest, UnreadableDirectoriesOfOtherUsersAreSkipped) {
  host.dir("/home/ada/ws/data").closed("/home/ada/ws/data").owned("/home/ada/ws/data", 999, 0700);
  const Plan made = plan();
  EXPECT_TRUE(all<ProtectPath>(made).empty());
  EXPECT_TRUE(made.gaps.empty());
}

TEST_F(SearchTest, MoreUnreadableDirectoriesThanMountsAreAGap) {
  for (int i = 0; i < 70; ++i) {
    const std::string path = "/home/ada/ws/c" + std::to_string(i);
    host.dir(path).closed(path);
  }
  const Plan made = plan();
  EXPECT_EQ(all<ProtectPath>(made).size(), 64U);
  ASSERT_EQ(made.gaps.size(), 2U);
  EXPECT_EQ(made.gaps[1].step, step_name::kProtectedBelow);
  EXPECT_FALSE(made.gaps[1].instead.empty());
  EXPECT_TRUE(all<CleanGit>(made)[0].always);
}

TEST_F(SearchTest, UnsearchedDirectoriesAreCleanedAtTheEnd) {
  EXPECT_FALSE(all<CleanGit>(plan())[0].always);
  for (int i = 0; i < 30; ++i) host.dir("/home/ada/ws/d" + std::to_string(10 + i));
  bounds.entries = 20;
  const Plan made = plan();
  EXPECT_TRUE(all<CleanGit>(made)[0].always);
  EXPECT_FALSE(made.gaps.back().instead.empty());
}

TEST_F(SearchTest, OddNamesInTheWorkspace) {
  host.file("/home/ada/ws/a\nb/.env").file("/home/ada/ws/\xff/.env").file("/home/ada/ws/$(x)/.env");
  const Plan made = plan();
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/a\nb/.env"), nullptr);
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/\xff/.env"), nullptr);
  const std::string text = describe(made);
  EXPECT_NE(text.find("/home/ada/ws/a\\nb/.env"), std::string::npos);
  EXPECT_NE(text.find("/home/ada/ws/\\xff/.env"), std::string::npos);
}

}  // namespace
}  // namespace pinfold::plan
