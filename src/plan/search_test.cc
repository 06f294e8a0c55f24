// search_test.cc: what patterns hide, and what happens at the bounds.
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

TEST_F(SearchTest, AnExplicitReadShowsAfterAll) {
  host.file("/home/ada/ws/.env").dir("/home/ada/ws/secrets/pub");
  const Plan made = plan(std::move(
      builder().read(".env", flag("--read")).hide("secret?", flag("--hide")).read("secrets/pub", flag("--read"))));
  EXPECT_EQ(at<HidePath>(made, "/home/ada/ws/.env"), nullptr);
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/ws/.env")->kind, EntryKind::kFile);
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/secrets"), nullptr);
  EXPECT_NE(at<ShowPath>(made, "/home/ada/ws/secrets/pub"), nullptr);
}

TEST_F(SearchTest, ASymlinkHidesWhatItLeadsToInsideTheWorkspace) {
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

TEST_F(SearchTest, TheClockBoundsTheSearchToo) {
  for (int i = 0; i < 30; ++i) host.dir("/home/ada/ws/d" + std::to_string(10 + i));
  host.list_takes_ms(10);
  const Plan made = plan();
  EXPECT_LE(host.lists(), 8U);
  EXPECT_FALSE(made.gaps.empty());
}

TEST_F(SearchTest, AProtectedNameByFlagThatCouldNotBeSearchedIsARequiredGap) {
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

TEST_F(SearchTest, UnreadableDirectories) {
  host.file("/home/ada/ws/locked/.env").unreadable("/home/ada/ws/locked");
  const Plan made = plan();
  EXPECT_TRUE(made.gaps.empty()) << "neither listed nor entered by anyone";
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
