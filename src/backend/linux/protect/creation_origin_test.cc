// creation_origin_test.cc: which names an allowed call can have made.
#include "backend/linux/protect/creation_origin.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

// A thread that runs all the time: a call of it may still go on.
class RunningThread {
 public:
  RunningThread()
      : thread_([this] {
          id_ = ::gettid();
          while (!stops_) {
          }
        }) {
    while (id_ == 0) ::usleep(100);
  }
  ~RunningThread() {
    stops_ = true;
    thread_.join();
  }
  pid_t id() const { return id_; }

 private:
  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

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
  void record_allowed(int number, const std::string& name) { record_allowed(::gettid(), number, name); }
  void record_allowed(pid_t thread, int number, const std::string& name) {
    seccomp_notif call{};
    call.pid = static_cast<std::uint32_t>(thread);
    call.data.nr = number;
    creation_origin_.record_allowed(call, {NewName{name, AT_FDCWD, base_ + "/" + name, Follow::kNotTheLast}});
  }
  Maker maker_of(const std::string& name) const { return creation_origin_.maker_of(directory_.raw(), name); }
  bool made(const std::string& name) const { return maker_of(name) != Maker::kHost; }
  void directory(const std::string& name) const { fs::create_directory(base_ + "/" + name); }
  void file(const std::string& name) const { std::ofstream(base_ + "/" + name) << "x"; }

  std::string base_;
  sys::Fd directory_;
  CreationOrigin creation_origin_;
};

TEST_F(CreationsTest, WithoutACallTheHostCreatedIt) {
  directory(".claude");
  file(".envrc");
  EXPECT_FALSE(made(".claude"));
  EXPECT_FALSE(made(".envrc"));
}

TEST_F(CreationsTest, ACallExplainsOnlyItsOwnFileType) {
  record_allowed(__NR_openat, "x");
  directory(".claude");
  file(".envrc");
  EXPECT_FALSE(made(".claude"));
  EXPECT_TRUE(made(".envrc"));
}

TEST_F(CreationsTest, ACallExplainsOneCreationOnly) {
  record_allowed(__NR_mkdirat, "d");
  directory("d");
  directory(".claude");
  EXPECT_FALSE(made(".claude"));
}

TEST_F(CreationsTest, ACallWhoseFileIsMissingMayExplainAnotherName) {
  record_allowed(__NR_mkdirat, "d");
  directory(".claude");
  EXPECT_TRUE(made(".claude")) << "the directory of its call is missing";
}

TEST_F(CreationsTest, OneDirectoryExplainsOneCall) {
  record_allowed(__NR_mkdirat, "d");
  record_allowed(__NR_mkdirat, "d");
  directory(".claude");
  directory("d");
  EXPECT_TRUE(made(".claude"));
}

// mkdir d; a rename of d whose target another thread changes to .claude; mkdir d again.
TEST_F(CreationsTest, ADirectoryCreatedLaterUnderTheNameExplainsNothing) {
  record_allowed(__NR_mkdirat, "d");
  directory("d");
  wait_for_tick();
  record_allowed(__NR_renameat2, "e");
  fs::rename(base_ + "/d", base_ + "/.claude");
  wait_for_tick();
  record_allowed(__NR_mkdirat, "d");
  directory("d");
  EXPECT_TRUE(made(".claude"));
}

// The same by two threads: when the first call ended is not known.
TEST_F(CreationsTest, ADirectoryWithTwoPossibleCallsExplainsNeither) {
  RunningThread delayed;
  record_allowed(delayed.id(), __NR_mkdirat, "d");
  directory("d");
  wait_for_tick();
  record_allowed(__NR_renameat2, "e");
  fs::rename(base_ + "/d", base_ + "/.claude");
  wait_for_tick();
  record_allowed(__NR_mkdirat, "d");
  directory("d");
  EXPECT_TRUE(made(".claude"));
}

// A delayed mkdir of d, whose name another thread changes to .claude; that thread has made e and renamed it to d
// before.
TEST_F(CreationsTest, ARenamedDirectoryExplainsNothing) {
  RunningThread delayed;
  record_allowed(delayed.id(), __NR_mkdirat, "d");
  wait_for_tick();
  record_allowed(__NR_mkdirat, "e");
  directory("e");
  record_allowed(__NR_renameat2, "d");
  fs::rename(base_ + "/e", base_ + "/d");
  record_allowed(__NR_openat, "x");
  wait_for_tick();
  directory(".claude");
  EXPECT_TRUE(made(".claude"));
}

// Renames of files and directories that were never renamed: the host made .claude.
TEST_F(CreationsTest, ADirectoryThatWasNotRenamedExplainsItsCall) {
  record_allowed(::getppid(), __NR_mkdirat, "d");
  directory("d");
  record_allowed(__NR_renameat2, "f");
  file("g");
  fs::rename(base_ + "/g", base_ + "/f");
  wait_for_tick();
  record_allowed(__NR_mkdirat, "e");
  directory("e");
  directory(".claude");
  EXPECT_FALSE(made(".claude"));
}

// A directory of the host is renamed to the name of a delayed mkdir, whose name another thread changes to .claude.
TEST_F(CreationsTest, ADirectoryOfTheHostThatWasRenamedExplainsNothing) {
  RunningThread delayed;
  record_allowed(delayed.id(), __NR_mkdirat, "d");
  wait_for_tick();
  directory("made-on-the-host");
  wait_for_tick();
  record_allowed(__NR_renameat2, "d");
  fs::rename(base_ + "/made-on-the-host", base_ + "/d");
  directory(".claude");
  EXPECT_TRUE(made(".claude"));
}

// The mkdir has not made anything yet: whether it makes d is seen as soon as it has ended.
TEST_F(CreationsTest, ACallThatStillRunsLeavesItUndecided) {
  RunningThread delayed;
  record_allowed(delayed.id(), __NR_mkdirat, "d");
  directory(".claude");
  EXPECT_EQ(maker_of(".claude"), Maker::kUndecided);
  directory("d");
  EXPECT_EQ(maker_of(".claude"), Maker::kHost);
}

TEST_F(CreationsTest, ADirectoryThatWasRemovedSinceExplainsItsCall) {
  record_allowed(__NR_mkdirat, "d");
  directory("d");
  record_allowed(__NR_openat, "x");
  fs::remove(base_ + "/d");
  wait_for_tick();
  directory(".claude");
  EXPECT_FALSE(made(".claude"));
}

// The same, so slowly that the rename is forgotten while the mkdir still runs.
TEST_F(CreationsTest, AForgottenRenameStillCounts) {
  RunningThread delayed;
  record_allowed(delayed.id(), __NR_mkdirat, "d");
  wait_for_tick();
  record_allowed(::getppid(), __NR_mkdirat, "e");
  directory("e");
  record_allowed(::getppid(), __NR_renameat2, "d");
  fs::rename(base_ + "/e", base_ + "/d");
  record_allowed(::getppid(), __NR_openat, "x");
  ::usleep(60'000);  // longer than a call is remembered
  creation_origin_.mark_clean();
  directory(".claude");
  EXPECT_TRUE(made(".claude"));
}

TEST_F(CreationsTest, AnEntryOlderThanTheCallExplainsNothing) {
  directory("d");
  wait_for_tick();
  record_allowed(__NR_mkdirat, "d");
  directory(".claude");
  EXPECT_TRUE(made(".claude"));
}

TEST_F(CreationsTest, ARenameMayHaveMovedAnOldDirectory) {
  directory("old");
  wait_for_tick();
  CreationOrigin later;
  seccomp_notif call{};
  call.pid = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  call.data.nr = __NR_renameat2;
  later.record_allowed(call, {});
  fs::rename(base_ + "/old", base_ + "/.claude");
  EXPECT_TRUE(later.maker_of(directory_.raw(), ".claude") == Maker::kSandbox);
}

TEST_F(CreationsTest, ARenameDoesNotMakeANewDirectory) {
  record_allowed(__NR_renameat2, "x");
  directory(".claude");
  EXPECT_FALSE(made(".claude"));
}

}  // namespace
}  // namespace pinfold::backend::on_linux
