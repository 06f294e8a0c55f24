// guard_test.cc: the guarded directories at the end of a run, as an ordinary user.
// Not here: refusing calls, which needs a sandbox (tests/escape).
#include "backend/linux/protect/guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/linux/protect/placeholder.h"
#include "backend/linux/protect/quarantine.h"

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

class NoEvents final : public SandboxEvents {
 public:
  void command_ended(const CommandExit&) override {}
  void command_stopped() override {}
  void sandbox_gone(std::string) override {}
  void denied(Denial) override {}
  void breached(Denial, std::string) override {}
};

class GuardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/guard-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base_ = fs::canonical(name).string();
    // Modes do not restrict root.
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(base_.c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  void TearDown() override {
    if (::getuid() == 0) {
      ASSERT_EQ(::seteuid(0), 0);
    }
    fs::permissions(base_, fs::perms::owner_all);
    fs::remove_all(base_);
  }

  void begin(NameGuard kind = NameGuard::kWatch) {
    std::error_code none;
    const bool exists = fs::is_symlink(fs::symlink_status(base_ + "/.envrc", none));
    plan_.steps.push_back({ProtectName{base_, ".envrc", kind, exists}, Need::kBestEffort, {}});
    auto guard = Guard::create(plan_);
    ASSERT_TRUE(guard);
    guard_ = std::move(*guard);
    auto loop = sys::EventLoop::create();
    ASSERT_TRUE(loop);
    loop_.emplace(std::move(*loop));
    guard_->attach(*loop_, events_, Guard::CreationCalls::kNotTrapped);
  }
  std::string finish() {
    guard_->detach();
    std::vector<std::string> notes;
    std::vector<Denial> denials;
    guard_->finish(notes, denials);
    std::string all;
    for (const std::string& note : notes) all += note + "\n";
    EXPECT_EQ(denials.empty(), all.empty());
    return all;
  }
  void write(const std::string& name) const { std::ofstream(base_ + "/" + name) << "evil"; }
  bool exists(const std::string& name) const { return fs::exists(fs::symlink_status(base_ + "/" + name)); }
  mode_t mode() const {
    struct stat info {};
    return ::stat(base_.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  }

  std::string base_;
  Plan plan_;
  NoEvents events_;
  std::optional<sys::EventLoop> loop_;
  std::unique_ptr<Guard> guard_;
};

TEST_F(GuardTest, UndoesCreationsInADirectoryWithoutPermissions) {
  for (const mode_t closed : {0555U, 0444U, 0U}) {
    plan_ = Plan();
    begin();
    write(".envrc");
    ASSERT_EQ(::chmod(base_.c_str(), closed), 0);
    const std::string notes = finish();
    EXPECT_EQ(mode(), closed);
    ASSERT_EQ(::chmod(base_.c_str(), 0700), 0);
    EXPECT_FALSE(exists(".envrc")) << closed;
    EXPECT_NE(notes.find("it was undone"), std::string::npos) << notes;
  }
}

TEST_F(GuardTest, UndoesCreationsIfQuarantineNamesExist) {
  begin();
  write(".envrc");
  write(".envrc.undone-by-pinfold-" + std::to_string(::getpid()));
  finish();
  EXPECT_FALSE(exists(".envrc"));
}

TEST_F(GuardTest, AnOlderTimestampDoesNotHideACreation) {
  const timespec long_ago[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, base_.c_str(), long_ago, 0), 0);
  begin();
  write(".envrc");
  ASSERT_EQ(::utimensat(AT_FDCWD, base_.c_str(), long_ago, 0), 0);
  finish();
  EXPECT_FALSE(exists(".envrc"));
}

// A brokered call names a directory that the supervisor holds.
TEST_F(GuardTest, BrokeredCallsMakeNoProtectedName) {
  begin();
  const auto directory = sys::Fd::adopt(::open(base_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::mkdir((base_ + "/other").c_str(), 0700), 0);
  const auto other = sys::Fd::adopt(::open((base_ + "/other").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  EXPECT_FALSE(guard_->may_make(directory.raw(), ".envrc"));
  EXPECT_FALSE(guard_->may_make(directory.raw(), ".EnvRC"));
  EXPECT_TRUE(guard_->may_make(directory.raw(), "envrc"));
  EXPECT_TRUE(guard_->may_make(other.raw(), ".envrc"));
}

TEST_F(GuardTest, RemovesAPlaceholderFromADirectoryWithoutPermissions) {
  plan_.steps.push_back({ProtectName{base_, ".envrc", NameGuard::kPlaceholder, false}, Need::kRequired, {}});
  Placeholders places(plan_);
  ASSERT_TRUE(places.make());
  ASSERT_TRUE(exists(".envrc"));
  ASSERT_EQ(::chmod(base_.c_str(), 0555), 0);
  places.remove();
  EXPECT_EQ(mode(), 0555U);
  EXPECT_FALSE(exists(".envrc"));
}

TEST_F(GuardTest, ReportsWhyQuarantineFailed) {
  const auto directory = sys::Fd::adopt(::open(base_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  errno = 0;
  EXPECT_EQ(quarantine(directory.raw(), "none", ".x"), "");
  EXPECT_EQ(errno, ENOENT);
  const std::string longest(255, 'n');
  write(longest);
  EXPECT_NE(quarantine(directory.raw(), longest, ".x"), "");
  EXPECT_FALSE(exists(longest));
}

}  // namespace
}  // namespace pinfold::backend::on_linux
