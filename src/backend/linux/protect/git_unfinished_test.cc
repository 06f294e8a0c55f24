// git_unfinished_test.cc: which content of an unfinished operation is harmless, and that the rest is disabled.
// Not here: that git would run it (tests/escape/table_git.cc).
#include "backend/linux/protect/git_unfinished.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/linux/protect/git_disarm.h"

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

TEST(UnfinishedGit, Lists) {
  for (const char* text :
       {"", "pick 1 x\n", "p 1\r\nfixup -C 2 exec\n  # exec x\nlabel onto\nt onto\nmerge -C 1 x # y\n", "revert 1 x",
        "update-ref refs/heads/x\nbreak\nnoop\nd 1\n"})
    EXPECT_TRUE(is_harmless_todo(text)) << text;
  for (const char* text : {"exec x", "x y", " \texec x\n", "pick 1\nx\ty\n", "x\r\n", "pick 1\n\n\nexec\n", "new 1\n"})
    EXPECT_FALSE(is_harmless_todo(text)) << text;
}

TEST(UnfinishedGit, Strategies) {
  for (const char* text : {"", "ort\n", "recursive", "subtree\n", "octopus\n"})
    EXPECT_TRUE(is_harmless_strategy(text)) << text;
  for (const char* text : {"/x\n", "../x", "ort/x", "mine", "ort\n/x\n"})
    EXPECT_FALSE(is_harmless_strategy(text)) << text;
}

TEST(UnfinishedGit, OptionLists) {
  for (const char* text : {" --ours --diff-algorithm=patience\n", "\"--subtree=a/b\"", "--rerere-autoupdate\n", ""})
    EXPECT_TRUE(is_harmless_option_list(text)) << text;
  for (const char* text : {"--a;x", "$(x)", "`x`", "--a|x", "--a\nx", "x>y"})
    EXPECT_FALSE(is_harmless_option_list(text)) << text;
}

TEST(UnfinishedGit, AuthorScripts) {
  for (const char* text : {"GIT_AUTHOR_NAME='a b'\nGIT_AUTHOR_EMAIL='b'\nGIT_AUTHOR_DATE='@1 +0000'\n",
                           "GIT_AUTHOR_NAME='O'\\''Neill'\\!''\n", ""})
    EXPECT_TRUE(is_harmless_author_script(text)) << text;
  for (const char* text :
       {"GIT_EDITOR='x'\n", "GIT_AUTHOR_NAME='a'\nLD_PRELOAD='x'\n", "GIT_AUTHOR_NAME=a\n", "GIT_AUTHOR_NAME='a'$(x)\n",
        "GIT_AUTHOR_NAME='a'; x\n", "GIT_AUTHOR_NAME='a\nGIT_EDITOR=x'\n", "GIT_AUTHOR_NAME='a\n"})
    EXPECT_FALSE(is_harmless_author_script(text)) << text;
}

TEST(UnfinishedGit, ApplyOptions) {
  for (const char* text : {"", "\n", " '--whitespace=fix' '-C1' '-p2'\n", "'--directory=a'\\''b'\n"})
    EXPECT_TRUE(is_harmless_apply_options(text)) << text;
  for (const char* text :
       {"'--build-fake-ancestor=/x'", "'--whitespace=fix' '--build=/x'", "--directory=x", "'-p1'x", "'-p1"})
    EXPECT_FALSE(is_harmless_apply_options(text)) << text;
}

TEST(UnfinishedGit, SequencerOptions) {
  for (const char* text : {"", "[options]\n\tedit = true\n\tstrategy-option = ours\n", "[options]\nStrategy=ort\r\n",
                           "[options]\n\tgpg-sign = A B <c@d>\n"})
    EXPECT_TRUE(is_harmless_sequencer_options(text)) << text;
  for (const char* text : {"[options]\nstrategy = /x\n", "[options]\n\tSTRATEGY=/x", "[options] strategy = /x\n",
                           "[options]\nedit = a\\\nstrategy = /x\n", "[options]\nstrategy = \"/x\"\n",
                           "[options]\nstrategy = ort ; x\n", "[OPTIONS]\nstrategy = ort\n", "[options]\nstrategy\n"})
    EXPECT_FALSE(is_harmless_sequencer_options(text)) << text;
}

TEST(UnfinishedGit, BisectNames) {
  for (const char* text : {"\n", " 'a' 'b c'\n", " 'a'\\''b'\n"}) EXPECT_TRUE(is_harmless_bisect_names(text)) << text;
  for (const char* text : {" ; x\n", "$(x)\n", " 'a';x\n", " 'a'\nx\n", " \"a\"\n"})
    EXPECT_FALSE(is_harmless_bisect_names(text)) << text;
}

class UnfinishedGitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/git-unfinished-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base_ = fs::canonical(name).string();
    git_ = base_ + "/.git";
    fs::create_directories(git_);
  }
  void TearDown() override { fs::remove_all(base_); }

  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  // The files that are there now are older than the run.
  void begin() {
    ::usleep(20'000);  // a tick of the clock that files are marked with
    ::clock_gettime(CLOCK_REALTIME_COARSE, &context_.began);
    ::usleep(20'000);
  }
  std::string disarm() {
    std::vector<std::string> notes;
    {
      GitNoteList all(notes);
      const auto git = sys::Fd::adopt(::open(git_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      GitDisarmer(context_, DisarmScope::kLater, all).rebase(git.raw(), git_);
    }
    std::string out;
    for (const std::string& note : notes) out += note + "\n";
    return out;
  }
  bool is_there(const std::string& name) const {
    return fs::symlink_status(git_ + "/" + name).type() != fs::file_type::not_found;
  }

  std::string base_, git_;
  GitContext context_;
};

// Git follows the link; this process would take it for a directory that is not there.
TEST_F(UnfinishedGitTest, StateFilesOutsideDirectories) {
  begin();
  write(base_ + "/rb/git-rebase-todo", "exec x\n");
  fs::create_directory_symlink("../rb", git_ + "/rebase-merge");
  fs::create_directory_symlink("/nowhere", git_ + "/rebase-apply");
  write(git_ + "/sequencer", "");
  const std::string notes = disarm();
  for (const char* name : {"rebase-merge", "rebase-apply", "sequencer"}) {
    EXPECT_FALSE(is_there(name)) << name;
    EXPECT_NE(notes.find(std::string("/.git/") + name), std::string::npos) << notes;
  }
}

TEST_F(UnfinishedGitTest, ChecksEachFile) {
  write(git_ + "/worktrees/w/HEAD", "");
  begin();
  write(git_ + "/rebase-merge/strategy", "/x\n");
  write(git_ + "/rebase-merge/git-rebase-todo", "pick 1\n");
  write(git_ + "/rebase-apply/author-script", "LD_PRELOAD='x'\n");
  write(git_ + "/sequencer/opts", "[options]\nstrategy = /x\n");
  write(git_ + "/sequencer/todo", "pick 1\n");
  write(git_ + "/worktrees/w/rebase-merge/git-rebase-todo", "x y\n");
  write(git_ + "/worktrees/w/BISECT_NAMES", "; x\n");
  fs::create_symlink("/home/x/.bashrc", git_ + "/rebase-merge/done");
  const std::string notes = disarm();
  for (const char* name : {"rebase-merge/strategy", "rebase-merge/done", "rebase-apply/author-script", "sequencer/opts",
                           "worktrees/w/rebase-merge/git-rebase-todo", "worktrees/w/BISECT_NAMES"})
    EXPECT_FALSE(is_there(name)) << name << "\n" << notes;
  for (const char* name : {"rebase-merge/git-rebase-todo", "sequencer/todo"}) EXPECT_TRUE(is_there(name)) << notes;
}

TEST_F(UnfinishedGitTest, KeepsOlderStates) {
  write(git_ + "/rebase-merge/git-rebase-todo", "exec make\n");
  write(git_ + "/sequencer/opts", "[options]\nstrategy = mine\n");
  begin();
  write(git_ + "/rebase-merge/message", "x");
  EXPECT_EQ(disarm().find("sequencer"), std::string::npos);
  EXPECT_TRUE(is_there("sequencer/opts"));
  EXPECT_FALSE(is_there("rebase-merge/git-rebase-todo")) << "the directory was changed: it may be another one";
}

TEST_F(UnfinishedGitTest, KeepsGitsOwnContent) {
  begin();
  write(git_ + "/rebase-merge/author-script", "GIT_AUTHOR_NAME='a'\nGIT_AUTHOR_EMAIL='b'\nGIT_AUTHOR_DATE='@1 +0'\n");
  write(git_ + "/rebase-merge/strategy", "ort\n");
  write(git_ + "/rebase-merge/strategy_opts", " --ours\n");
  write(git_ + "/rebase-merge/done", "exec make\n");
  write(git_ + "/rebase-apply/apply-opt", " '--whitespace=fix'\n");
  write(git_ + "/sequencer/opts", "[options]\n\tstrategy = recursive\n\tstrategy-option = ours\n");
  write(git_ + "/BISECT_NAMES", " 'a'\n");
  EXPECT_EQ(disarm(), "");
}

TEST_F(UnfinishedGitTest, MovesRemotesOutOfTheirFolder) {
  begin();
  for (const char* name : {"remotes/o.sample", "branches/x.disabled-by-pinfold-0123456789abcdef", "remotes/origin",
                           "hooks/pre-commit", "hooks/pre-push.disabled-by-pinfold-no", "hooks/pre-push.sample"})
    write(git_ + "/" + name, "x");
  std::vector<std::string> notes;
  {
    GitNoteList all(notes);
    const auto git = sys::Fd::adopt(::open(git_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    GitDisarmer(context_, DisarmScope::kAll, all).repository(git.raw(), git_);
  }
  EXPECT_TRUE(fs::is_empty(git_ + "/remotes"));
  EXPECT_TRUE(fs::is_empty(git_ + "/branches"));
  EXPECT_FALSE(is_there("hooks/pre-commit"));
  EXPECT_FALSE(is_there("hooks/pre-push.disabled-by-pinfold-no"));
  EXPECT_TRUE(is_there("hooks/pre-push.sample"));
}

}  // namespace
}  // namespace pinfold::backend::on_linux
