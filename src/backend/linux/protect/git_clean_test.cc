// git_clean_test.cc: repositories in a temporary directory, as a run would leave them.
#include "backend/linux/protect/git_clean.h"

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
  // Everything made from now on belongs to the run.
  void begin(Plan plan = {}) {
    ::usleep(20'000);  // a tick of the clock that gives files their times
    plan.steps.push_back({CleanGit{ws_, fs::exists(ws_ + "/.git")}, Need::kBestEffort, {}});
    cleaner_.add(plan);
    ::usleep(20'000);
  }
  bool record_creation(const std::string& directory, const std::string& name) {
    const auto fd = sys::Fd::adopt(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return cleaner_.record_creation(fd.raw(), directory, name);
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

TEST_F(GitCleanTest, FindsUnobservedRepositories) {
  begin();
  record_creation(ws_, "head");
  repository(ws_ + "/a/b/.git");
  repository(ws_ + "/bare");
  repository(ws_ + "/a/b/.git/modules/sub");
  const std::string notes = clean();
  for (const char* git : {"/a/b/.git", "/bare", "/a/b/.git/modules/sub"}) EXPECT_FALSE(is_armed(ws_ + git)) << git;
  EXPECT_NE(notes.find("core.fsmonitor"), std::string::npos) << notes;
}

TEST_F(GitCleanTest, DoesNotSearchWithoutObservedCalls) {
  begin();
  repository(ws_ + "/a/.git");
  clean();
  EXPECT_TRUE(is_armed(ws_ + "/a/.git"));
  cleaner_.require_search();
  clean();
  EXPECT_FALSE(is_armed(ws_ + "/a/.git"));
}

// The plan could not protect every repository that existed before.
TEST_F(GitCleanTest, SearchesPlannedRootsWithoutObservedCalls) {
  repository(ws_ + "/zz.git");
  Plan plan;
  plan.steps.push_back({CleanGit{ws_, false, true}, Need::kBestEffort, {}});
  begin(std::move(plan));
  write(ws_ + "/zz.git/hooks/post-receive", "");
  clean();
  EXPECT_FALSE(fs::exists(ws_ + "/zz.git/hooks/post-receive"));
  EXPECT_TRUE(is_armed(ws_ + "/zz.git")) << "older than the run";
}

// `.git` existed, and no mount protects a part of it.
TEST_F(GitCleanTest, ChecksAGitDirectoryWithoutAMount) {
  repository(ws_ + "/.git");
  begin();
  write(ws_ + "/.git/hooks/pre-push", "");
  clean();
  EXPECT_FALSE(fs::exists(ws_ + "/.git/hooks/pre-push"));
}

TEST_F(GitCleanTest, KeepsRepositoriesOlderThanTheRun) {
  repository(ws_ + "/old/.git");
  repository(ws_ + "/kept/.git");
  repository(ws_ + "/bare");
  Plan plan;
  plan.steps.push_back({ProtectPath{ws_ + "/kept/.git/config", EntryKind::kFile, {}}, Need::kRequired, {}});
  begin(std::move(plan));
  record_creation(ws_, ".git");
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

// Each file is judged by its own change, and the removed settings are kept beside it.
TEST_F(GitCleanTest, KeepsSettingsOfAnOldRepositoryWithANewHead) {
  repository(ws_ + "/bare");
  repository(ws_ + "/changed");
  begin();
  cleaner_.require_search();
  for (const char* git : {"/bare", "/changed"}) {  // as a checkout does
    write(ws_ + git + "/HEAD.lock", "ref: refs/heads/other\n");
    fs::rename(ws_ + git + "/HEAD.lock", ws_ + git + "/HEAD");
  }
  write(ws_ + "/changed/config", std::string(kEvil) + "\teditor = x\n");
  const std::string notes = clean();
  EXPECT_EQ(read(ws_ + "/bare/config"), kEvil);
  EXPECT_TRUE(fs::exists(ws_ + "/bare/hooks/post-commit"));
  EXPECT_NE(notes.find(ws_ + "/bare/config is older than the run"), std::string::npos) << notes;
  EXPECT_NE(notes.find(ws_ + "/bare/hooks/post-commit is older than the run"), std::string::npos) << notes;
  EXPECT_EQ(read(ws_ + "/changed/config").find("fsmonitor"), std::string::npos);
  std::string kept;
  for (const auto& entry : fs::directory_iterator(ws_ + "/changed"))
    if (entry.path().filename().string().starts_with("config.disabled-by-pinfold-")) kept = entry.path();
  EXPECT_NE(read(kept).find("fsmonitor"), std::string::npos) << kept;
  EXPECT_NE(notes.find(fs::path(kept).filename()), std::string::npos) << notes;
}

TEST_F(GitCleanTest, FindsAnOldDirectoryThatBecameARepository) {
  repository(ws_ + "/b");
  fs::remove(ws_ + "/b/HEAD");
  begin();
  record_creation(ws_ + "/b", "head");
  write(ws_ + "/b/HEAD", "ref: refs/heads/main\n");
  clean();
  EXPECT_FALSE(is_armed(ws_ + "/b"));
}

TEST_F(GitCleanTest, ContinuesAfterADirectoryThatCannotBeOpened) {
  begin();
  cleaner_.require_search();
  int at = ::open(ws_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const std::string name(250, 'd');
  for (int i = 0; i < 18; ++i) {  // longer than a path may be
    ASSERT_EQ(::mkdirat(at, name.c_str(), 0755), 0);
    const int next = ::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    ::close(at);
    at = next;
  }
  ::close(at);
  std::string deep = ws_;
  for (int i = 0; i < 25; ++i) deep += "/n";
  repository(deep + "/.git");
  const std::string notes = clean();
  EXPECT_FALSE(is_armed(deep + "/.git"));
  EXPECT_NE(notes.find("not all directories were searched"), std::string::npos) << notes;
  EXPECT_NE(notes.find(name), std::string::npos) << notes;
}

// A directory that the user grants during the run is searched like the others; a note names one that is not granted.
TEST_F(GitCleanTest, SearchesRootsGrantedLater) {
  const std::string granted = base_ + "/granted";
  const std::string once = base_ + "/once";
  repository(granted + "/old/.git");
  begin();
  Plan wider;
  wider.steps.push_back({CleanGit{granted, false}, Need::kBestEffort, {}});
  wider.steps.push_back({ProtectPath{granted + "/old/.git/config", EntryKind::kFile, {}}, Need::kRequired, {}});
  record_creation(ws_, ".git");
  EXPECT_TRUE(cleaner_.widen(wider, granted));
  EXPECT_FALSE(cleaner_.widen(wider, granted));
  for (int i = 0; i < 300; ++i) {
    fs::create_directories(granted + "/m/" + std::to_string(i));
    record_creation(granted + "/m/" + std::to_string(i), ".git");
  }
  fs::create_directories(once);
  record_creation(once, ".git");
  repository(granted + "/m/299/.git");
  const std::string notes = clean();
  EXPECT_FALSE(is_armed(granted + "/m/299/.git"));
  EXPECT_TRUE(is_armed(granted + "/old/.git"));
  EXPECT_NE(notes.find("in 1 directories that were not searched, such as " + once), std::string::npos) << notes;
}

// Files that the run made before the grant do not count as older than the run.
TEST_F(GitCleanTest, EntriesOlderThanTheGrantAreUnknown) {
  const std::string granted = base_ + "/granted";
  fs::create_directories(granted);
  begin();
  record_creation(granted, "head");
  repository(granted);
  Plan wider;
  wider.steps.push_back({CleanGit{granted, false}, Need::kBestEffort, {}});
  wider.steps.push_back({ProtectPath{granted + "/config", EntryKind::kFile, {}}, Need::kRequired, {}});
  cleaner_.widen(wider, granted);
  clean();
  EXPECT_FALSE(is_armed(granted));
}

TEST_F(GitCleanTest, DoesNotFollowLinksOutOfTheRoot) {
  write(base_ + "/.aws/config", "[profile x]\nregion = eu\n");
  ::chmod((base_ + "/.aws/config").c_str(), 0600);
  repository(base_ + "/other/.git");
  fs::create_directory_symlink(base_, ws_ + "/up");
  begin();
  record_creation(ws_, ".git");
  fs::create_directories(ws_ + "/x/.git/modules");
  int number = 0;
  for (const std::string& target :
       {ws_ + "/x/.git/modules/../../../../.aws", std::string("../x/.git/modules/../../../../.aws"),
        ws_ + "/x/.git/modules/../../../../other/.git", base_ + "/other/.git/modules/x", base_ + "/.aws",
        std::string("../up/other/.git"), std::string("../../other/.git"), std::string("")}) {
    const std::string at = ws_ + "/p" + std::to_string(number++);
    write(at + "/.git", "gitdir: " + target + "\n");
    record_creation(at, ".git");
  }
  clean();
  EXPECT_EQ(read(base_ + "/.aws/config"), "[profile x]\nregion = eu\n");
  struct stat info {};
  ASSERT_EQ(::stat((base_ + "/.aws/config").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_TRUE(is_armed(base_ + "/other/.git"));
  for (int i = 0; i < number; ++i) EXPECT_FALSE(fs::exists(ws_ + "/p" + std::to_string(i) + "/.git")) << i;
}

TEST_F(GitCleanTest, KeepsGitsOwnPointerFiles) {
  begin();
  record_creation(ws_, ".git");
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
  record_creation(ws_, ".git");
  repository(ws_ + "/.git");
  ::chmod((ws_ + "/.git/config").c_str(), 0640);
  clean();
  struct stat info {};
  ASSERT_EQ(::stat((ws_ + "/.git/config").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
  EXPECT_FALSE(is_armed(ws_ + "/.git"));
}

TEST_F(GitCleanTest, ReportsDirectoriesItDidNotSearch) {
  begin();
  for (int i = 0; i < 100; ++i) fs::create_directories(ws_ + "/many/" + std::to_string(i));
  record_creation(ws_, ".git");
  WalkBounds few;
  few.entries = 10;
  EXPECT_NE(clean(few).find("not all directories were searched"), std::string::npos);
}

TEST_F(GitCleanTest, SearchesAllIfMoreCallsThanItRecords) {
  begin();
  for (int i = 0; i < 300; ++i) {
    const std::string at = ws_ + "/m/" + std::to_string(i);
    fs::create_directories(at);
    record_creation(at, ".git");
    fs::create_directories(at + "/.git");
  }
  repository(ws_ + "/m/299/.git");
  clean();
  EXPECT_FALSE(is_armed(ws_ + "/m/299/.git"));
}

// Asks the real git about every layout that the search considers harmless. A rename brings files of any age along.
TEST_F(GitCleanTest, FindsAnOlderDirectoryThatWasRenamed) {
  for (const char* payload : {"/many", "/over", "/inside"}) repository(ws_ + payload);
  fs::rename(ws_ + "/inside/HEAD", ws_ + "/inside/H");
  fs::create_directories(ws_ + "/b/.git/x");
  fs::create_directories(ws_ + "/c/.git");
  begin();
  for (int i = 0; i < 300; ++i) {
    fs::create_directories(ws_ + "/decoys/" + std::to_string(i));
    record_creation(ws_ + "/decoys/" + std::to_string(i), ".git");
  }
  fs::create_directories(ws_ + "/a");
  record_creation(ws_ + "/a", ".git");
  fs::rename(ws_ + "/many", ws_ + "/a/.git");
  record_creation(ws_ + "/b", ".git");
  fs::rename(ws_ + "/b/.git", ws_ + "/b/old");
  fs::rename(ws_ + "/over", ws_ + "/b/.git");
  for (const auto& each : fs::directory_iterator(ws_ + "/inside")) {
    if (each.path().filename() != "H") fs::rename(each.path(), ws_ + "/c/.git/" + each.path().filename().string());
  }
  record_creation(ws_ + "/c/.git", "head");
  fs::rename(ws_ + "/inside/H", ws_ + "/c/.git/HEAD");
  clean();
  for (const char* git : {"/a/.git", "/b/.git", "/c/.git"}) EXPECT_FALSE(is_armed(ws_ + git)) << git;
}

TEST_F(GitCleanTest, ReportsOlderHooksInAChangedDirectory) {
  repository(ws_ + "/old/.git");
  write(ws_ + "/payload/pre-commit", "#!/bin/sh\n");
  begin();
  cleaner_.require_search();
  fs::rename(ws_ + "/old/.git/hooks", ws_ + "/old/.git/h");
  fs::rename(ws_ + "/payload", ws_ + "/old/.git/hooks");
  const std::string notes = clean();
  EXPECT_NE(notes.find("/old/.git/hooks/pre-commit is older than the run, which changed"), std::string::npos) << notes;
}

// Mounts leave the todo list writable for git, also in a protected repository.
TEST_F(GitCleanTest, ChecksTheTodoListOfARebase) {
  const std::string git = ws_ + "/.git";
  repository(git);
  repository(git + "/modules/m");
  write(ws_ + "/older/git-rebase-todo", "x touch /tmp/x\n");
  Plan plan;
  for (const char* part : {"/config", "/modules/m/config"})
    plan.steps.push_back({ProtectPath{git + part, EntryKind::kFile, {}}, Need::kRequired, {}});
  begin(std::move(plan));
  write(git + "/rebase-merge/git-rebase-todo", "pick 1234\nexec touch /tmp/x\n");
  fs::rename(ws_ + "/older", git + "/modules/m/rebase-merge");
  const std::string notes = clean();
  EXPECT_FALSE(fs::exists(git + "/rebase-merge/git-rebase-todo"));
  EXPECT_FALSE(fs::exists(git + "/modules/m/rebase-merge/git-rebase-todo"));
  EXPECT_NE(notes.find(git + "/rebase-merge/git-rebase-todo"), std::string::npos) << notes;
  EXPECT_TRUE(is_armed(git)) << "the rest is the mounts' to protect";
}

TEST_F(GitCleanTest, KeepsARebaseWithoutExecLines) {
  const std::string git = ws_ + "/.git";
  repository(git);
  Plan plan;
  plan.steps.push_back({ProtectPath{git + "/config", EntryKind::kFile, {}}, Need::kRequired, {}});
  begin(std::move(plan));
  write(git + "/rebase-merge/git-rebase-todo", "pick 1234\n# x, exec <command>\n");
  EXPECT_EQ(clean(), "");
  EXPECT_TRUE(fs::exists(git + "/rebase-merge/git-rebase-todo"));
}

TEST_F(GitCleanTest, HarmlessLayoutsAreNoRepositories) {
  const auto asks_git = [&](const std::string& at) {
    return std::system(("cd " + at + " && env -i PATH=\"$PATH\" GIT_CEILING_DIRECTORIES=" + ws_ +
                        " git -c safe.directory='*' rev-parse --git-dir >/dev/null 2>&1")
                           .c_str()) == 0;
  };
  repository(ws_ + "/control");
  ASSERT_TRUE(asks_git(ws_ + "/control")) << "git is missing, or does not accept a plain bare repository";
  const std::string common = ws_ + "/common";
  fs::create_directories(common + "/objects");
  fs::create_directories(common + "/refs");
  const auto make = [&](const std::string& path, const std::string& scope_for) {
    if (scope_for == "directory") fs::create_directory(path);
    if (scope_for == "program") write(path, ""), fs::permissions(path, fs::perms::owner_all);
    if (scope_for == "link") fs::create_symlink(common + "/refs", path);
    if (scope_for.starts_with("->")) fs::create_symlink(scope_for.substr(2), path);
    if (scope_for.starts_with("=")) write(path, scope_for.substr(1));
  };
  int number = 0;
  int accepted = 0;
  for (const std::string head : {"", "=ref: refs/heads/main\n", "=ref:refs/x", "->refs/heads/main", "=junk",
                                 "=0123456789012345678901234567890123456789\n", "directory"})
    for (const std::string objects : {"", "directory", "program", "link"})
      for (const std::string refs : {"", "directory", "program"})
        for (const std::string commondir : {"", "=../common\n", "=/", "->../pointer"}) {
          const std::string at = ws_ + "/l" + std::to_string(number++);
          fs::create_directory(at);
          make(at + "/HEAD", head), make(at + "/objects", objects);
          make(at + "/refs", refs), make(at + "/commondir", commondir);
          if (commondir.starts_with("->")) write(ws_ + "/pointer", common);
          const auto fd = sys::Fd::adopt(::open(at.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
          if (layout_of(fd.raw(), UnknownNames::kIgnore).is_git_directory())
            ++accepted;
          else
            EXPECT_FALSE(asks_git(at)) << head << " / " << objects << " / " << refs << " / " << commondir;
        }
  EXPECT_GT(accepted, 50);
  // The walk sees every layout that the names reveal.
  const std::string split = ws_ + "/split";
  write(split + "/HEAD", "ref: refs/heads/main\n"), write(split + "/commondir", "../common\n");
  EXPECT_TRUE(asks_git(split));
  begin();
  cleaner_.require_search();
  write(split + "/commondir", "../common\n");
  clean();
  EXPECT_FALSE(asks_git(split));
}

TEST(GitContextTimes, AllowForCoarseClocks) {
  GitContext context;
  context.began = {1001, 500'000'123};
  const auto later = [&](time_t seconds, long nanoseconds) { return context.is_later({seconds, nanoseconds}, 1); };
  EXPECT_TRUE(later(1001, 500'000'123)) << "a tie";
  EXPECT_TRUE(later(1001, 500'000'124));
  EXPECT_FALSE(later(1001, 500'000'122));
  EXPECT_FALSE(later(1000, 999'999'999));
  EXPECT_TRUE(later(1000, 0)) << "vfat: two seconds";
  EXPECT_TRUE(later(1001, 0)) << "ext3: one second";
  EXPECT_FALSE(later(999, 0));
  EXPECT_TRUE(later(1001, 500'000'000)) << "exfat: ten milliseconds";
  EXPECT_FALSE(later(1001, 480'000'000));
}

TEST(GitContextTimes, AServersClockIsBehind) {
  GitContext context;
  context.began = {1000, 5};
  context.behind_ns.emplace({std::pair<const dev_t, std::int64_t>{1, 0}, {2, 60'000'000'000}});
  const auto later = [&](time_t seconds, dev_t device) { return context.is_later({seconds, 5}, device); };
  EXPECT_FALSE(later(999, 1));
  EXPECT_TRUE(later(940, 2));
  EXPECT_FALSE(later(939, 2));
  EXPECT_TRUE(later(940, 3)) << "of a device that was not measured, the longest";
}

TEST(GitPlaceOf, RecognisesOnlyGitsLayouts) {
  EXPECT_EQ(git_admin_directory("/w/.git/worktrees/a"), GitAdminDirectory::kWorktree);
  EXPECT_EQ(git_admin_directory("/w/.git/worktrees/a/b"), GitAdminDirectory::kNone);
  EXPECT_EQ(git_admin_directory("/w/.git/modules/a/b"), GitAdminDirectory::kModule);
  EXPECT_EQ(git_admin_directory("/w/.git/modules/a/worktrees/b"), GitAdminDirectory::kWorktree);
  EXPECT_EQ(git_admin_directory("/w/.git/modules/a/worktrees/b/c"), GitAdminDirectory::kNone);
  EXPECT_EQ(git_admin_directory("/w/.git/modules/"), GitAdminDirectory::kNone);
  EXPECT_EQ(git_admin_directory("/w/.git"), GitAdminDirectory::kNone);
  EXPECT_EQ(git_admin_directory("/w/modules/a"), GitAdminDirectory::kNone);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
