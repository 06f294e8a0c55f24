// rules_test.cc: rules over a small tree on disk: no rule covers a hidden path.
#include "backend/linux/landlock/rules.h"

#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

class RulesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "pinfold-rules-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    top_ = fs::canonical(name);
    for (const char* each : {"etc/ssl/private", "etc/ssl/certs", "ws/sub"}) fs::create_directories(top_ + "/" + each);
    for (const char* each : {"etc/passwd", "etc/shadow", "etc/ssl/openssl.cnf", "ws/.env", "ws/a"})
      std::ofstream(top_ + "/" + each) << "x";
    fs::create_symlink("passwd", top_ + "/etc/link");
  }
  void TearDown() override { fs::remove_all(top_); }

  void show(const std::string& path, View view, EntryKind kind = EntryKind::kDirectory) {
    plan_.steps.push_back({ShowPath{top_ + path, top_ + path, view, kind}, Need::kRequired, {}});
  }
  void hide(const std::string& path, EntryKind kind, const std::string& pattern = {}) {
    plan_.steps.push_back({HidePath{top_ + path, kind, pattern}, Need::kRequired, {}});
  }
  Rules make() {
    auto scratch = ScratchHome::plan(plan_);
    EXPECT_TRUE(scratch);
    auto rules = make_rules(plan_, *scratch);
    EXPECT_TRUE(rules);
    return std::move(*rules);
  }
  // The rights of a path: those of every rule at or above it.
  std::uint64_t rights(const Rules& rules, const std::string& path) const {
    std::uint64_t sum = 0;
    for (const LandlockRule& each : rules.rules)
      if ((top_ + path + "/").starts_with(each.path + "/")) sum |= each.rights;
    return sum;
  }
  std::string top_;
  Plan plan_;
};

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;

TEST_F(RulesTest, SiblingsOfHiddenPathsGetTheirOwnRules) {
  show("/etc", View::kRead);
  hide("/etc/shadow", EntryKind::kFile);
  hide("/etc/ssl/private", EntryKind::kDirectory);
  const Rules rules = make();
  for (const char* path : {"/etc/passwd", "/etc/ssl/openssl.cnf", "/etc/ssl/certs"})
    EXPECT_NE(rights(rules, path) & kReadFile, 0U) << path;
  for (const char* path : {"/etc/shadow", "/etc/ssl/private", "/etc/new", "/etc/ssl/new"})
    EXPECT_EQ(rights(rules, path) & kReadFile, 0U) << path;
  EXPECT_TRUE(rules.open_hidden.empty());
}

TEST_F(RulesTest, ReportsHiddenPathsInAWritableDirectoryAsOpen) {
  show("/ws", View::kWriteExec);
  hide("/ws/.env", EntryKind::kFile, "**/.env");
  hide("/ws/sub", EntryKind::kDirectory);
  const Rules rules = make();
  EXPECT_EQ(rules.open_patterns, std::vector<std::string>{top_ + "/ws/.env"});
  EXPECT_EQ(rules.open_hidden, std::vector<std::string>{top_ + "/ws/sub"});
  EXPECT_FALSE(rules.access.may_change(top_ + "/ws/.env"));
}

TEST_F(RulesTest, PinfoldsOwnDirectoryStaysHiddenInAWritableOne) {
  show("/ws", View::kWriteExec);
  plan_.steps.push_back({HidePath{top_ + "/ws/sub", EntryKind::kDirectory, {}, true, {}}, Need::kRequired, {}});
  const Rules rules = make();
  EXPECT_EQ(rights(rules, "/ws/sub/key") & (kReadFile | kWriteFile), 0U);
  EXPECT_NE(rights(rules, "/ws/a") & kWriteFile, 0U);
  EXPECT_TRUE(rules.open_hidden.empty());
  EXPECT_EQ(rules.no_new_names, std::vector<std::string>{top_ + "/ws"});
}

TEST_F(RulesTest, ReadOnlyInsideWritableIsLeftToTheCallHandler) {
  show("/ws", View::kWriteExec);
  show("/ws/sub", View::kReadExec);
  const Rules rules = make();
  EXPECT_EQ(rules.guarded_only, std::vector<std::string>{top_ + "/ws/sub"});
  EXPECT_NE(rules.access.protection(top_ + "/ws/sub/x"), nullptr);
}

TEST_F(RulesTest, ReadOnlyPathsGetNoWriteRight) {
  show("/etc", View::kReadExec);
  EXPECT_EQ(rights(make(), "/etc/passwd") & kWriteFile, 0U);
}

TEST_F(RulesTest, AShownProgramMayRunAndIsNotWritable) {
  show("/ws", View::kWrite);
  plan_.steps.push_back({ExecLimit{ExecMode::kList, {top_ + "/ws/a"}, {}}, Need::kRequired, {}});
  const Rules rules = make();
  EXPECT_NE(rights(rules, "/ws/a") & LANDLOCK_ACCESS_FS_EXECUTE, 0U);
  EXPECT_EQ(rights(rules, "/ws/.env") & LANDLOCK_ACCESS_FS_EXECUTE, 0U);
  EXPECT_NE(rules.access.protection(top_ + "/ws/a"), nullptr);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
