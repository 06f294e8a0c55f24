// git_clean_test.cc: repositories in a directory of our own, as a run would leave them.
#include "backend/linux/git_clean.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEvil = "[core]\n\tbare = false\n\tfsmonitor = touch /tmp/x\n";

class GitCleanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/git-clean-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base_ = fs::canonical(name).string();
    ws_ = base_ + "/ws";
    fs::create_directories(ws_);
  }
  void TearDown() override { fs::remove_all(base_); }

  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  static std::string read(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  static void repository(const std::string& git) {
    write(git + "/HEAD", "ref: refs/heads/main\n");
    fs::create_directories(git + "/objects");
    fs::create_directories(git + "/refs");
    write(git + "/config", kEvil);
    write(git + "/hooks/post-commit", "#!/bin/sh\n");
  }
  // Everything made from now on is the run's.
  void begin(Plan plan = {}) {
    ::usleep(20'000);  // a tick of the clock that files are marked with
    plan.steps.push_back({CleanGit{ws_, fs::exists(ws_ + "/.git")}, Need::kBestEffort, {}});
    cleaner_.add(plan);
    ::usleep(20'000);
  }
  bool saw(const std::string& directory, const std::string& name) {
    const auto fd = sys::Fd::adopt(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return cleaner_.saw(fd.raw(), directory, name);
  }
  std::string clean(const WalkBounds& bounds = {}) {
    std::vector<std::string> notes;
    cleaner_.clean(notes, bounds);
    std::string all;
    for (const std::string& note : notes) all += note + "\n";
    return all;
  }
  static bool is_armed(const std::string& git) {
    return fs::exists(git + "/hooks/post-commit") || read(git + "/config").find("fsmonitor") != std::string::npos;
  }

  std::string base_, ws_;
  GitCleaner cleaner_;
};

TEST_F(GitCleanTest, FindsWhatNobodySaw) {
  begin();
  saw(ws_, "head");
  repository(ws_ + "/a/b/.git");
  repository(ws_ + "/bare");
  repository(ws_ + "/a/b/.git/modules/sub");
  const std::string notes = clean();
  for (const char* git : {"/a/b/.git", "/bare", "/a/b/.git/modules/sub"}) EXPECT_FALSE(is_armed(ws_ + git)) << git;
  EXPECT_NE(notes.find("core.fsmonitor"), std::string::npos) << notes;
}

TEST_F(GitCleanTest, NothingSeenNothingSearched) {
  begin();
  repository(ws_ + "/a/.git");
  clean();
  EXPECT_TRUE(is_armed(ws_ + "/a/.git"));
  cleaner_.expect_anything();
  clean();
  EXPECT_FALSE(is_armed(ws_ + "/a/.git"));
}

TEST_F(GitCleanTest, LeavesAloneWhatWasThere) {
  repository(ws_ + "/old/.git");
  repository(ws_ + "/kept/.git");
  repository(ws_ + "/bare");
  Plan plan;
  plan.steps.push_back({ProtectPath{ws_ + "/kept/.git/config", EntryKind::kFile, {}}, Need::kRequired, {}});
  begin(std::move(plan));
  saw(ws_, ".git");
  write(ws_ + "/old/.git/index", "");
  write(ws_ + "/old/.git/hooks/pre-push", "");
  write(ws_ + "/kept/.git/hooks/pre-push", "");
  clean();
  EXPECT_TRUE(fs::exists(ws_ + "/old/.git/hooks/post-commit"));
  EXPECT_EQ(read(ws_ + "/old/.git/config"), kEvil);
  EXPECT_FALSE(fs::exists(ws_ + "/old/.git/hooks/pre-push")) << "came during the run";
  EXPECT_TRUE(is_armed(ws_ + "/kept/.git"));
  EXPECT_TRUE(fs::exists(ws_ + "/kept/.git/hooks/pre-push")) << "the mounts keep it: this is the host's doing";
  EXPECT_TRUE(is_armed(ws_ + "/bare"));
}

TEST_F(GitCleanTest, IsNotLedOutOfTheRoot) {
  write(base_ + "/.aws/config", "[profile x]\nregion = eu\n");
  ::chmod((base_ + "/.aws/config").c_str(), 0600);
  repository(base_ + "/other/.git");
  fs::create_directory_symlink(base_, ws_ + "/up");
  begin();
  saw(ws_, ".git");
  fs::create_directories(ws_ + "/x/.git/modules");
  int number = 0;
  for (const std::string& target :
       {ws_ + "/x/.git/modules/../../../../.aws", std::string("../x/.git/modules/../../../../.aws"),
        ws_ + "/x/.git/modules/../../../../other/.git", base_ + "/other/.git/modules/x", base_ + "/.aws",
        std::string("../up/other/.git"), std::string("../../other/.git"), std::string("")}) {
    const std::string at = ws_ + "/p" + std::to_string(number++);
    write(at + "/.git", "gitdir: " + target + "\n");
    saw(at, ".git");
  }
  clean();
  EXPECT_EQ(read(base_ + "/.aws/config"), "[profile x]\nregion = eu\n");
  struct stat info {};
  ASSERT_EQ(::stat((base_ + "/.aws/config").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_TRUE(is_armed(base_ + "/other/.git"));
  for (int i = 0; i < number; ++i) EXPECT_FALSE(fs::exists(ws_ + "/p" + std::to_string(i) + "/.git")) << i;
}

TEST_F(GitCleanTest, GitsOwnPointersStay) {
  begin();
  saw(ws_, ".git");
  repository(ws_ + "/.git");
  repository(ws_ + "/.git/modules/lib/sm");
  write(ws_ + "/.git/worktrees/wt/commondir", "../..\n");
  write(ws_ + "/wt/.git", "gitdir: " + ws_ + "/.git/worktrees/wt\n");
  write(ws_ + "/lib/sm/.git", "gitdir: ../../.git/modules/lib/sm\n");
  clean();
  EXPECT_TRUE(fs::exists(ws_ + "/wt/.git"));
  EXPECT_TRUE(fs::exists(ws_ + "/lib/sm/.git"));
  EXPECT_FALSE(is_armed(ws_ + "/.git/modules/lib/sm"));
}

TEST_F(GitCleanTest, KeepsTheModeOfAConfiguration) {
  begin();
  saw(ws_, ".git");
  repository(ws_ + "/.git");
  ::chmod((ws_ + "/.git/config").c_str(), 0640);
  clean();
  struct stat info {};
  ASSERT_EQ(::stat((ws_ + "/.git/config").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
  EXPECT_FALSE(is_armed(ws_ + "/.git"));
}

TEST_F(GitCleanTest, SaysWhatItDidNotReach) {
  begin();
  for (int i = 0; i < 100; ++i) fs::create_directories(ws_ + "/many/" + std::to_string(i));
  saw(ws_, ".git");
  WalkBounds few;
  few.entries = 10;
  EXPECT_NE(clean(few).find("not all directories were searched"), std::string::npos);
}

TEST_F(GitCleanTest, MoreThanItRemembers) {
  begin();
  for (int i = 0; i < 300; ++i) {
    const std::string at = ws_ + "/m/" + std::to_string(i);
    fs::create_directories(at);
    saw(at, ".git");
    fs::create_directories(at + "/.git");
  }
  repository(ws_ + "/m/299/.git");
  clean();
  EXPECT_FALSE(is_armed(ws_ + "/m/299/.git"));
}

TEST(GitPlaceOf, OnlyGitsOwnLayouts) {
  EXPECT_EQ(git_place("/w/.git/worktrees/a"), GitPlace::kWorktree);
  EXPECT_EQ(git_place("/w/.git/worktrees/a/b"), GitPlace::kNone);
  EXPECT_EQ(git_place("/w/.git/modules/a/b"), GitPlace::kModule);
  EXPECT_EQ(git_place("/w/.git/modules/a/worktrees/b"), GitPlace::kWorktree);
  EXPECT_EQ(git_place("/w/.git/modules/a/worktrees/b/c"), GitPlace::kNone);
  EXPECT_EQ(git_place("/w/.git/modules/"), GitPlace::kNone);
  EXPECT_EQ(git_place("/w/.git"), GitPlace::kNone);
  EXPECT_EQ(git_place("/w/modules/a"), GitPlace::kNone);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
