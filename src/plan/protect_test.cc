// protect_test.cc: protected names at the top and below, with pins; git; gaps.
// Not here: bounds of the search (search_test.cc).
#include <gtest/gtest.h>

#include "pinfold/coverage.h"
#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class ProtectTest : public testing::Test, protected PlanFixture {};

using Paths = std::vector<std::string>;

TEST_F(ProtectTest, ProtectsExistingAndWatchesMissingNames) {
  host.dir("/home/ada/ws/.vscode").file("/home/ada/ws/.envrc").dir("/home/ada/ws/.git/hooks");
  const Plan made = plan();
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/.vscode")->kind, EntryKind::kDirectory);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/.envrc")->kind, EntryKind::kFile);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/.git/hooks")->pins, Paths{"/home/ada/ws/.git"});
  const ProtectName* config = name(made, "/home/ada/ws/.git", "config");
  ASSERT_NE(config, nullptr);
  EXPECT_EQ(config->guard, NameGuard::kWatch);
  EXPECT_EQ(step_of(made, config)->need, Need::kBestEffort);
  EXPECT_EQ(step_of(made, at<ProtectPath>(made, "/home/ada/ws/.vscode"))->need, Need::kRequired);
  EXPECT_NE(name(made, "/home/ada/ws", ".mcp.json"), nullptr);
  EXPECT_TRUE(all<CleanGit>(made)[0].had_git);
}

TEST_F(ProtectTest, NoRepositoryYet) {
  const Plan made = plan();
  EXPECT_FALSE(all<CleanGit>(made)[0].had_git);
  for (const ProtectName& one : all<ProtectName>(made)) EXPECT_EQ(one.parent, "/home/ada/ws") << one.name;
}

TEST_F(ProtectTest, GitAsAFile) {
  host.file("/home/ada/ws/.git", "gitdir: /elsewhere").file("/home/ada/ws/sub/.git");
  const Plan made = plan();
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/.git"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/sub/.git")->pins, Paths{"/home/ada/ws/sub"});
}

TEST_F(ProtectTest, ByFlagAPlaceholderIsRequired) {
  host.dir("/home/ada/ws/conf");
  const Plan made = plan(std::move(builder()
                                       .protect("conf/x", flag("--protect"))
                                       .protect("new", flag("--protect"))
                                       .protect("src", flag("--protect"))));
  const ProtectName* x = name(made, "/home/ada/ws/conf", "x");
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(x->guard, NameGuard::kPlaceholder);
  EXPECT_EQ(step_of(made, x)->need, Need::kRequired);
  EXPECT_NE(name(made, "/home/ada/ws", "new"), nullptr);
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/src"), nullptr);
  auto refused = try_plan(std::move(builder().protect("gone/x", flag("--protect"))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(refused.error().text().find("/home/ada/ws/gone does not exist"), std::string::npos)
      << refused.error().text();
}

TEST_F(ProtectTest, AbsoluteProtection) {
  host.dir("/home/ada/ws/a/b").dir("/srv/x");
  const Plan made = plan(std::move(builder()
                                       .protect("/home/ada/ws/a/b", flag("--protect"))
                                       .protect("/srv/x", flag("--protect"))
                                       .protect("/home/ada/ws/a/new", flag("--protect"))));
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/a/b")->pins, Paths{"/home/ada/ws/a"});
  EXPECT_EQ(at<ProtectPath>(made, "/srv/x"), nullptr) << "not writable anyway";
  EXPECT_EQ(name(made, "/home/ada/ws/a", "new")->guard, NameGuard::kPlaceholder);
}

TEST_F(ProtectTest, WatchesMissingPartsOfANestedRepository) {
  host.file("/home/ada/ws/sub/.git/config").file("/home/ada/ws/.git/modules/m/HEAD");
  const Plan made = plan();
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/sub/.git/config"), nullptr);
  for (const char* part : {"hooks", "commondir", "config.worktree"}) {
    const ProtectName* watched = name(made, "/home/ada/ws/sub/.git", part);
    ASSERT_NE(watched, nullptr) << part;
    EXPECT_EQ(watched->guard, NameGuard::kWatch);
  }
  for (const char* part : {"config", "hooks", "commondir", "config.worktree"})
    EXPECT_NE(name(made, "/home/ada/ws/.git/modules/m", part), nullptr) << part;
  EXPECT_EQ(name(made, "/home/ada/ws/sub", ".envrc"), nullptr) << "only what git reads";
}

TEST_F(ProtectTest, ProtectsHooksAtCoreHooksPath) {
  host.file("/home/ada/.gitconfig", "[core]\nhooksPath = my-hooks\n")
      .file("/home/ada/ws/.git/config")
      .dir("/home/ada/ws/my-hooks")
      .file("/home/ada/ws/sub/.git/config");
  const Plan made = plan();
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/my-hooks"), nullptr);
  EXPECT_NE(name(made, "/home/ada/ws/sub", "my-hooks"), nullptr);
}

TEST_F(ProtectTest, PinsAllParentsOfNestedNames) {
  host.dir("/home/ada/ws/a/b/.vscode").dir("/home/ada/ws/a/b/.git/hooks").file("/home/ada/ws/a/b/.git/config");
  const Plan made = plan();
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/a/b/.vscode")->pins, (Paths{"/home/ada/ws/a", "/home/ada/ws/a/b"}));
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/a/b/.git/config")->pins,
            (Paths{"/home/ada/ws/a", "/home/ada/ws/a/b", "/home/ada/ws/a/b/.git"}));
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/a/b/.git/hooks"), nullptr);
}

TEST_F(ProtectTest, SubmodulesAndWorktrees) {
  const std::string git = "/home/ada/ws/.git";
  host.dir(git + "/objects/aa")
      .file(git + "/modules/libs/x/HEAD")
      .file(git + "/modules/libs/x/config")
      .dir(git + "/modules/libs/x/hooks");
  host.file(git + "/modules/libs/x/modules/y/HEAD").file(git + "/modules/libs/x/modules/y/config");
  host.file(git + "/worktrees/w/commondir").file(git + "/worktrees/w/gitdir").file(git + "/worktrees/w/HEAD");
  const Plan made = plan();
  for (const char* path : {"/modules/libs/x/config", "/modules/libs/x/hooks", "/modules/libs/x/modules/y/config",
                           "/worktrees/w/commondir", "/worktrees/w/gitdir"})
    EXPECT_NE(at<ProtectPath>(made, git + path), nullptr) << path;
  EXPECT_EQ(at<ProtectPath>(made, git + "/worktrees/w/HEAD"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, git + "/worktrees/w/gitdir")->pins,
            (Paths{git, git + "/worktrees", git + "/worktrees/w"}));
}

TEST_F(ProtectTest, Symlinks) {
  host.dir("/home/ada/ws/tools/code").link("/home/ada/ws/.vscode", "tools/code").link("/home/ada/ws/.idea", "/etc");
  host.dir("/home/ada/ws/real.git/hooks").link("/home/ada/ws/.git", "real.git");
  const Plan made = plan();
  EXPECT_EQ(name(made, "/home/ada/ws", ".vscode")->guard, NameGuard::kWatch);
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/tools/code"), nullptr);
  EXPECT_NE(name(made, "/home/ada/ws", ".idea"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, "/etc"), nullptr);
  EXPECT_NE(name(made, "/home/ada/ws", ".git"), nullptr);
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/real.git/hooks"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/real.git"), nullptr) << "commits must work";
}

TEST_F(ProtectTest, DoesNotProtectPathsThatTheUserMakesWritable) {
  host.dir("/home/ada/ws/.vscode/sub").dir("/home/ada/ws/.git/hooks").dir("/home/ada/ws/.idea");
  const Plan made = plan(std::move(builder()
                                       .write(".git/hooks", flag("--write"))
                                       .write(".vscode/sub", flag("--write"))
                                       .hide(".idea", flag("--hide"))));
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/.git/hooks"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/.idea"), nullptr);
  // A mask on .vscode would cover a writable path in it: so it is shown read-only, in order.
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/.vscode"), nullptr);
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/ws/.vscode")->view, View::kReadExec);
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/ws/.vscode/sub")->view, View::kWriteExec);
}

TEST_F(ProtectTest, ProtectsNothingWithoutAWritableRoot) {
  host.dir("/home/ada/ws/.vscode");
  const Plan made = plan(builder("read-only"));
  EXPECT_TRUE(all<ProtectPath>(made).empty());
  EXPECT_TRUE(all<ProtectName>(made).empty());
  EXPECT_TRUE(all<CleanGit>(made).empty());
}

TEST_F(ProtectTest, MoreThanSixtyFourIsAGap) {
  for (int i = 0; i < 70; ++i) host.dir("/home/ada/ws/p" + std::to_string(i) + "/.vscode");
  const Plan made = plan();
  EXPECT_EQ(all<ProtectPath>(made).size(), 64U);
  ASSERT_EQ(made.gaps.size(), 1U);
  EXPECT_EQ(made.gaps[0].step, step_name::kProtectedBelow);
  EXPECT_EQ(made.gaps[0].need, Need::kBestEffort);
  EXPECT_NE(made.gaps[0].gap.find("6 are not protected"), std::string::npos) << made.gaps[0].gap;
}

// Made by an earlier run, they must not keep the user's own repositories from being protected.
TEST_F(ProtectTest, ManyRepositoriesStayWithinTheBound) {
  for (int i = 0; i < 40; ++i) {
    const std::string git = "/home/ada/ws/a" + std::to_string(i);
    host.file(git + "/HEAD").dir(git + "/objects").dir(git + "/refs").file(git + "/config").dir(git + "/hooks");
    host.dir("/home/ada/ws/n" + std::to_string(i) + "/.vscode").dir("/home/ada/ws/n" + std::to_string(i) + "/.idea");
  }
  host.file("/home/ada/ws/zz/.git/config").dir("/home/ada/ws/zz/.git/hooks");
  const Plan made = plan();
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/zz/.git/config"), nullptr);
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/zz/.git/hooks"), nullptr);
  ASSERT_EQ(made.gaps.size(), 1U) << "the other names";
  EXPECT_TRUE(all<CleanGit>(made)[0].always);
}

TEST_F(ProtectTest, AnUnreadableGitDirectoryStaysUnreadable) {
  host.dir("/home/ada/ws/.git/hooks").file("/home/ada/ws/.git/config").closed("/home/ada/ws/.git");
  host.dir("/home/ada/ws/sub/.git/hooks").closed("/home/ada/ws/sub/.git");
  host.file("/home/ada/ws/mod/.git/config").dir("/home/ada/ws/mod/.git/modules/m");
  host.closed("/home/ada/ws/mod/.git/modules");
  const Plan made = plan();
  for (const char* path : {"/home/ada/ws/.git", "/home/ada/ws/sub/.git", "/home/ada/ws/mod/.git/modules"})
    EXPECT_NE(at<ProtectPath>(made, path), nullptr) << path;
  EXPECT_EQ(name(made, "/home/ada/ws/.git", "hooks"), nullptr) << "read-only with its directory";
  EXPECT_TRUE(made.gaps.empty());
}

TEST_F(ProtectTest, AnExplicitRuleDecidesForAnUnreadableDirectory) {
  host.file("/home/ada/ws/sub/x").closed("/home/ada/ws/sub");
  const Plan made = plan(std::move(builder().write("sub", flag("--write"))));
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/sub"), nullptr);
  EXPECT_TRUE(all<CleanGit>(made)[0].always);
}

TEST_F(ProtectTest, DoesNotProtectInsideNodeModules) {
  host.dir("/home/ada/ws/node_modules/a/.vscode");
  const Plan made = plan();
  EXPECT_TRUE(all<ProtectPath>(made).empty());
  ASSERT_EQ(made.gaps.size(), 1U);
  EXPECT_NE(made.gaps[0].gap.find("node_modules/a/.vscode"), std::string::npos);
}

// Git recognises its directories by the names in them.
TEST_F(ProtectTest, GitDirectoriesOfAnyName) {
  const auto bare = [&](const std::string& git) {
    host.file(git + "/HEAD").dir(git + "/objects").dir(git + "/refs").file(git + "/config").dir(git + "/hooks");
  };
  bare("/home/ada/ws/a/r");
  bare("/srv/out.git");
  bare("/srv/main/.git");
  host.file("/home/ada/ws/s/HEAD").file("/home/ada/ws/s/commondir", "../hidden\n").file("/home/ada/ws/hidden/config");
  host.dir("/home/ada/ws/half/objects").file("/home/ada/ws/half/HEAD").file("/home/ada/ws/half/config");
  const Plan made =
      plan(std::move(builder().write("/srv/out.git", flag("--write")).write("/srv/main/.git", flag("--write"))));
  for (const char* git : {"/home/ada/ws/a/r", "/srv/out.git", "/srv/main/.git"}) {
    for (const char* part : {"/config", "/hooks"}) EXPECT_NE(at<ProtectPath>(made, git + std::string(part)), nullptr);
    for (const char* part : {"commondir", "config.worktree", "remotes"})
      EXPECT_NE(name(made, git, part), nullptr) << git << " " << part;
  }
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/a/r/config")->pins, (Paths{"/home/ada/ws/a", "/home/ada/ws/a/r"}));
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/s/commondir"), nullptr);
  EXPECT_NE(at<ProtectPath>(made, "/home/ada/ws/hidden/config"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/half/config"), nullptr) << "not one of git's";
}

TEST_F(ProtectTest, PartsOfAGitDirectoryThatAUserMakesWritable) {
  const std::string git = "/home/ada/ws/r";
  host.file(git + "/HEAD").dir(git + "/objects").dir(git + "/refs").file(git + "/config").dir(git + "/hooks");
  const Plan hooks = plan(std::move(builder().write("r/hooks", flag("--write"))));
  EXPECT_EQ(at<ProtectPath>(hooks, git + "/hooks"), nullptr);
  EXPECT_NE(at<ProtectPath>(hooks, git + "/config"), nullptr);
}

// Cleaning keeps away from a directory with a protected part: all of its parts are protected, or none.
TEST_F(ProtectTest, BeyondTheBoundNoGitDirectoryIsProtectedInPart) {
  for (int i = 0; i < 191; ++i) host.file("/home/ada/ws/p" + std::to_string(1000 + i) + "/.git", "gitdir: x");
  host.file("/home/ada/ws/q/.git/config").dir("/home/ada/ws/q/.git/hooks");
  const Plan made = plan();
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/q/.git/config"), nullptr);
  EXPECT_EQ(at<ProtectPath>(made, "/home/ada/ws/q/.git/hooks"), nullptr);
  EXPECT_TRUE(all<CleanGit>(made)[0].always);
  ASSERT_EQ(made.gaps.size(), 1U);
  EXPECT_NE(made.gaps[0].gap.find("2 are not protected"), std::string::npos) << made.gaps[0].gap;
}

TEST_F(ProtectTest, EveryWritableRootHasItsOwnGuards) {
  host.dir("/srv/out/.vscode");
  const Plan made = plan(std::move(builder().write("/srv/out", flag("--write"))));
  EXPECT_NE(at<ProtectPath>(made, "/srv/out/.vscode"), nullptr);
  EXPECT_NE(name(made, "/srv/out", ".envrc"), nullptr);
  EXPECT_NE(name(made, "/home/ada/ws", ".envrc"), nullptr);
  EXPECT_EQ(all<CleanGit>(made).size(), 2U);
}

}  // namespace
}  // namespace pinfold::plan
