// scratch_home_test.cc: a home of links, a private tmp, and their removal.
#include "backend/linux/landlock/scratch_home.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

class ScratchHomeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "pinfold-shelter-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    top_ = fs::canonical(name);
    home_ = top_ + "/home";
    fs::create_directories(home_ + "/.cargo/bin");
    fs::create_directories(top_ + "/cache");
    Environment environment;
    environment.variables = {{"HOME", home_, {}},
                             {"TMPDIR", "/tmp", {}},
                             {"GOPATH", home_ + "/.cache/go", {}},
                             {"PATH", "/usr/bin:" + home_ + "/.cargo/bin:/tmp/x", {}}};
    add(environment);
    add(PrivateTmp{{"/tmp"}, 0, true});
    add(ShowPath{top_ + "/cache", home_ + "/.cache", View::kWriteExec});
    add(ShowPath{home_ + "/.cargo/bin", home_ + "/.cargo/bin", View::kReadExec});
    add(MakeLink{home_ + "/.npm", ".cache/npm"});
    add(MakeFile{home_ + "/.gitconfig", "[user]\n"});
  }
  void TearDown() override { fs::remove_all(top_); }
  void add(StepBody body) { plan_.steps.push_back({std::move(body), Need::kRequired, {}}); }
  static std::string value(const Environment& environment, const std::string& name) {
    for (const Variable& each : environment.variables)
      if (each.name == name) return each.value;
    return {};
  }
  std::string top_;
  std::string home_;
  Plan plan_;
};

TEST_F(ScratchHomeTest, HomeLinksToShownEntriesOfTheRealOne) {
  auto scratch = ScratchHome::plan(plan_);
  ASSERT_TRUE(scratch);
  ASSERT_TRUE(scratch->make(plan_));
  EXPECT_EQ(fs::read_symlink(scratch->home() + "/.cache"), top_ + "/cache");
  EXPECT_EQ(fs::read_symlink(scratch->home() + "/.npm"), ".cache/npm");
  EXPECT_EQ(fs::read_symlink(scratch->home() + "/.cargo/bin"), home_ + "/.cargo/bin");
  EXPECT_EQ(fs::file_size(scratch->home() + "/.gitconfig"), 7U);
  EXPECT_EQ(fs::status(scratch->tmp()).permissions(), fs::perms::owner_all);
  const std::string above = fs::path(scratch->tmp()).parent_path();
  // A run may leave closed directories and links to paths outside.
  fs::create_directories(scratch->tmp() + "/a/b");
  fs::create_symlink(home_, scratch->tmp() + "/a/out");
  fs::permissions(scratch->tmp() + "/a", fs::perms::none);
  EXPECT_EQ(scratch->remove(), "");
  EXPECT_FALSE(fs::exists(above));
  EXPECT_TRUE(fs::exists(home_ + "/.cargo/bin"));
}

TEST_F(ScratchHomeTest, VariablesNamePathsInTheScratchHome) {
  auto scratch = ScratchHome::plan(plan_);
  ASSERT_TRUE(scratch);
  const Environment environment = scratch->environment(plan_);
  EXPECT_EQ(value(environment, "HOME"), scratch->home());
  EXPECT_EQ(value(environment, "TMPDIR"), scratch->tmp());
  EXPECT_EQ(value(environment, "GOPATH"), top_ + "/cache/go");
  EXPECT_EQ(value(environment, "PATH"), "/usr/bin:" + home_ + "/.cargo/bin:" + scratch->tmp() + "/x");
}

TEST_F(ScratchHomeTest, AShownHomeStaysTheHome) {
  add(ShowPath{home_, home_, View::kWriteExec});
  auto scratch = ScratchHome::plan(plan_);
  ASSERT_TRUE(scratch);
  EXPECT_EQ(scratch->home(), "");
  EXPECT_EQ(value(scratch->environment(plan_), "HOME"), home_);
}

TEST_F(ScratchHomeTest, ReplacesACacheThatCannotBeMade) {
  ShowPath kept{"/proc/nowhere", home_ + "/.kept", View::kWriteExec};
  kept.ensure = Ensure::kCreate;
  add(kept);
  auto scratch = ScratchHome::plan(plan_);
  ASSERT_TRUE(scratch);
  scratch->make_kept_directories(plan_);
  const auto& moved = std::get<ShowPath>(plan_.steps.back().body);
  EXPECT_NE(moved.host, "/proc/nowhere");
  ASSERT_TRUE(scratch->make(plan_));
  EXPECT_TRUE(fs::is_directory(moved.host));
  EXPECT_EQ(scratch->remove(), "");
  EXPECT_FALSE(fs::exists(moved.host));
}

TEST_F(ScratchHomeTest, RemovesLeftoversOfAnEarlierRun) {
  auto scratch = ScratchHome::plan(plan_);
  ASSERT_TRUE(scratch);
  ASSERT_TRUE(scratch->make(plan_));
  const std::string left = fs::path(scratch->tmp()).parent_path().parent_path().string() + "/pinfold-left-" +
                           std::to_string(::geteuid()) + "-7";
  fs::create_directories(left + "/a/b");
  EXPECT_EQ(scratch->remove(), "");
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(ScratchHomeTest, LiesOutsideWritablePaths) {
  const char* before = ::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", top_.c_str(), 1);
  auto in_tmpdir = ScratchHome::plan(plan_);
  add(ShowPath{top_, top_, View::kWriteExec});
  auto elsewhere = ScratchHome::plan(plan_);
  if (before != nullptr)
    ::setenv("TMPDIR", kept.c_str(), 1);
  else
    ::unsetenv("TMPDIR");
  ASSERT_TRUE(in_tmpdir && elsewhere);
  EXPECT_TRUE(in_tmpdir->tmp().starts_with(top_ + "/"));
  EXPECT_FALSE(elsewhere->tmp().starts_with(top_ + "/"));
}

}  // namespace
}  // namespace pinfold::backend::on_linux
