// creation_origin_test.cc: which names a call that was let through can have made.
#include "backend/linux/protect/creation_origin.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

class CreationsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/dev/shm/creations-XXXXXX";  // a file system that tells the time of birth
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base_ = name;
    directory_ = sys::Fd::adopt(::open(base_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    wait_for_tick();
  }
  void TearDown() override { fs::remove_all(base_); }
  // Until the clock that files get their times from has moved on.
  static void wait_for_tick() {
    timespec then{};
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &then);
    do {
      ::usleep(100);
      ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    } while (now.tv_sec < then.tv_sec || (now.tv_sec == then.tv_sec && now.tv_nsec <= then.tv_nsec));
  }
  void let_through(int number, const std::string& name) { let_through(::gettid(), number, name); }
  void let_through(pid_t thread, int number, const std::string& name) {
    seccomp_notif call{};
    call.pid = static_cast<std::uint32_t>(thread);
    call.data.nr = number;
    creations_.let_through(call, {NewName{name, AT_FDCWD, base_ + "/" + name, Follow::kNotTheLast}});
  }
  bool made(const std::string& name) const { return creations_.may_have_made(directory_.raw(), name); }
  void directory(const std::string& name) const { fs::create_directory(base_ + "/" + name); }
  void file(const std::string& name) const { std::ofstream(base_ + "/" + name) << "x"; }

  std::string base_;
  sys::Fd directory_;
  Creations creations_;
};

TEST_F(CreationsTest, NobodyCalledSoTheHostMadeIt) {
  directory(".claude");
  file(".envrc");
  EXPECT_FALSE(made(".claude"));
  EXPECT_FALSE(made(".envrc"));
}

TEST_F(CreationsTest, ACallMakesItsOwnKindOnly) {
  let_through(__NR_openat, "x");
  directory(".claude");
  file(".envrc");
  EXPECT_FALSE(made(".claude"));
  EXPECT_TRUE(made(".envrc"));
}

TEST_F(CreationsTest, ACallThatMadeWhatItSaidMadeNothingElse) {
  let_through(__NR_mkdirat, "d");
  directory("d");
  directory(".claude");
  EXPECT_FALSE(made(".claude"));
}

TEST_F(CreationsTest, ACallThatMadeNothingIsSuspect) {
  let_through(__NR_mkdirat, "d");
  directory(".claude");
  EXPECT_TRUE(made(".claude")) << "what it said is not there";
}

TEST_F(CreationsTest, OneDirectoryExplainsOneCall) {
  let_through(__NR_mkdirat, "d");
  let_through(__NR_mkdirat, "d");
  directory(".claude");
  directory("d");
  EXPECT_TRUE(made(".claude"));
}

// mkdir d; a rename of d whose target another thread changes to .claude; mkdir d again.
TEST_F(CreationsTest, ADirectoryThatTookTheNameLaterExplainsNothing) {
  let_through(__NR_mkdirat, "d");
  directory("d");
  wait_for_tick();
  let_through(__NR_renameat2, "e");
  fs::rename(base_ + "/d", base_ + "/.claude");
  wait_for_tick();
  let_through(__NR_mkdirat, "d");
  directory("d");
  EXPECT_TRUE(made(".claude"));
}

// The same by two threads: when the first call ended is not known.
TEST_F(CreationsTest, ADirectoryThatTwoCallsCanHaveMadeExplainsNeither) {
  let_through(::getppid(), __NR_mkdirat, "d");
  directory("d");
  wait_for_tick();
  let_through(__NR_renameat2, "e");
  fs::rename(base_ + "/d", base_ + "/.claude");
  wait_for_tick();
  let_through(__NR_mkdirat, "d");
  directory("d");
  EXPECT_TRUE(made(".claude"));
}

// A delayed mkdir of d, whose name another thread changes to .claude; that thread has made e and renamed it to d
// before.
TEST_F(CreationsTest, ARenamedDirectoryExplainsNothing) {
  let_through(::getppid(), __NR_mkdirat, "d");
  wait_for_tick();
  let_through(__NR_mkdirat, "e");
  directory("e");
  let_through(__NR_renameat2, "d");
  fs::rename(base_ + "/e", base_ + "/d");
  let_through(__NR_openat, "x");
  wait_for_tick();
  directory(".claude");
  EXPECT_TRUE(made(".claude"));
}

// The same, so slowly that the rename is forgotten while the mkdir still runs.
TEST_F(CreationsTest, AForgottenRenameStillCounts) {
  let_through(__NR_mkdirat, "d");
  wait_for_tick();
  let_through(::getppid(), __NR_mkdirat, "e");
  directory("e");
  let_through(::getppid(), __NR_renameat2, "d");
  fs::rename(base_ + "/e", base_ + "/d");
  let_through(::getppid(), __NR_openat, "x");
  ::usleep(60'000);  // longer than a call is remembered
  creations_.seen_clean();
  directory(".claude");
  EXPECT_TRUE(made(".claude"));
}

TEST_F(CreationsTest, WhatWasThereBeforeTheCallExplainsNothing) {
  directory("d");
  wait_for_tick();
  let_through(__NR_mkdirat, "d");
  directory(".claude");
  EXPECT_TRUE(made(".claude"));
}

TEST_F(CreationsTest, AnOldDirectoryMayHaveBeenMovedByARename) {
  directory("old");
  wait_for_tick();
  Creations later;
  seccomp_notif call{};
  call.pid = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  call.data.nr = __NR_renameat2;
  later.let_through(call, {});
  fs::rename(base_ + "/old", base_ + "/.claude");
  EXPECT_TRUE(later.may_have_made(directory_.raw(), ".claude"));
}

TEST_F(CreationsTest, ARenameDoesNotMakeANewDirectory) {
  let_through(__NR_renameat2, "x");
  directory(".claude");
  EXPECT_FALSE(made(".claude"));
}

}  // namespace
}  // namespace pinfold::backend::on_linux
