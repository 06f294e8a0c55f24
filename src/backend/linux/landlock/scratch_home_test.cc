// scratch_home_test.cc: a home of links, a private tmp, and nothing left of either.
#include "backend/linux/landlock/scratch_home.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

class ShelterTest : public ::testing::Test {
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

TEST_F(ShelterTest, TheHomeHoldsWhatTheRealOneShows) {
  auto shelter = Shelter::plan(plan_);
  ASSERT_TRUE(shelter);
  ASSERT_TRUE(shelter->make(plan_));
  EXPECT_EQ(fs::read_symlink(shelter->home() + "/.cache"), top_ + "/cache");
  EXPECT_EQ(fs::read_symlink(shelter->home() + "/.npm"), ".cache/npm");
  EXPECT_EQ(fs::read_symlink(shelter->home() + "/.cargo/bin"), home_ + "/.cargo/bin");
  EXPECT_EQ(fs::file_size(shelter->home() + "/.gitconfig"), 7U);
  EXPECT_EQ(fs::status(shelter->tmp()).permissions(), fs::perms::owner_all);
  const std::string above = fs::path(shelter->tmp()).parent_path();
  // What a run may leave: closed directories, links to elsewhere.
  fs::create_directories(shelter->tmp() + "/a/b");
  fs::create_symlink(home_, shelter->tmp() + "/a/out");
  fs::permissions(shelter->tmp() + "/a", fs::perms::none);
  EXPECT_EQ(shelter->remove(), "");
  EXPECT_FALSE(fs::exists(above));
  EXPECT_TRUE(fs::exists(home_ + "/.cargo/bin"));
}

TEST_F(ShelterTest, VariablesNameThingsAsTheyAreCalledHere) {
  auto shelter = Shelter::plan(plan_);
  ASSERT_TRUE(shelter);
  const Environment here = shelter->environment(plan_);
  EXPECT_EQ(value(here, "HOME"), shelter->home());
  EXPECT_EQ(value(here, "TMPDIR"), shelter->tmp());
  EXPECT_EQ(value(here, "GOPATH"), top_ + "/cache/go");
  EXPECT_EQ(value(here, "PATH"), "/usr/bin:" + home_ + "/.cargo/bin:" + shelter->tmp() + "/x");
}

TEST_F(ShelterTest, AHomeThatIsShownItselfStaysTheHome) {
  add(ShowPath{home_, home_, View::kWriteExec});
  auto shelter = Shelter::plan(plan_);
  ASSERT_TRUE(shelter);
  EXPECT_EQ(shelter->home(), "");
  EXPECT_EQ(value(shelter->environment(plan_), "HOME"), home_);
}

TEST_F(ShelterTest, WhatCannotBeKeptIsForThisRun) {
  ShowPath kept{"/proc/nowhere", home_ + "/.kept", View::kWriteExec};
  kept.ensure = Ensure::kCreate;
  add(kept);
  auto shelter = Shelter::plan(plan_);
  ASSERT_TRUE(shelter);
  shelter->settle(plan_);
  const auto& moved = std::get<ShowPath>(plan_.steps.back().body);
  EXPECT_NE(moved.host, "/proc/nowhere");
  ASSERT_TRUE(shelter->make(plan_));
  EXPECT_TRUE(fs::is_directory(moved.host));
  EXPECT_EQ(shelter->remove(), "");
  EXPECT_FALSE(fs::exists(moved.host));
}

TEST_F(ShelterTest, RemovesWhatAnEarlierRunHadToLeave) {
  auto shelter = Shelter::plan(plan_);
  ASSERT_TRUE(shelter);
  ASSERT_TRUE(shelter->make(plan_));
  const std::string left = fs::path(shelter->tmp()).parent_path().parent_path().string() + "/pinfold-left-" +
                           std::to_string(::geteuid()) + "-7";
  fs::create_directories(left + "/a/b");
  EXPECT_EQ(shelter->remove(), "");
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(ShelterTest, ItIsNowhereThatTheRunMayChange) {
  const char* before = ::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", top_.c_str(), 1);
  auto here = Shelter::plan(plan_);
  add(ShowPath{top_, top_, View::kWriteExec});
  auto elsewhere = Shelter::plan(plan_);
  if (before != nullptr)
    ::setenv("TMPDIR", kept.c_str(), 1);
  else
    ::unsetenv("TMPDIR");
  ASSERT_TRUE(here && elsewhere);
  EXPECT_TRUE(here->tmp().starts_with(top_ + "/"));
  EXPECT_FALSE(elsewhere->tmp().starts_with(top_ + "/"));
}

}  // namespace
}  // namespace pinfold::backend::on_linux
