// stdio_handoff_test.cc: which descriptors are passed, and what can be done through them; with real files and mounts.
#include "backend/linux/init/stdio_handoff.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace pinfold::backend::on_linux {
namespace {

class StdioHandoffTest : public ::testing::Test {
 protected:
  StdioHandoffTest() {
    char name[] = "/tmp/pinfold-streams-XXXXXX";
    auto file = sys::Fd::adopt(::mkstemp(name));
    path_ = name;
    EXPECT_EQ(::write(file.raw(), "0123456789", 10), 10);
  }
  ~StdioHandoffTest() override { ::unlink(path_.c_str()); }
  sys::Fd open(int flags) const { return sys::Fd::adopt(::open(path_.c_str(), flags | O_CLOEXEC)); }
  Result<Launch> take(int fd) {
    Launch launch;
    launch.fds[0] = fd;
    launch.stdio[1] = launch.stdio[2] = StdioKind::kTerminal;
    return stdio_.prepare(launch, plan_);
  }
  std::string path_;
  Plan plan_;  // shows nothing
  StdioHandoff stdio_;
};

TEST_F(StdioHandoffTest, DirectoriesAndPathDescriptorsAreNotPassed) {
  for (const int flags : {O_RDONLY | O_DIRECTORY, O_PATH | O_DIRECTORY, O_PATH}) {
    const auto place = sys::Fd::adopt(::open(flags == O_PATH ? path_.c_str() : "/tmp", flags | O_CLOEXEC));
    const auto taken = take(place.raw());
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind(), ErrorKind::kInvalid);
    EXPECT_FALSE(taken.error().fix().empty());
  }
}

TEST_F(StdioHandoffTest, AFileForReadingIsPassedReadOnly) {
  const auto own = open(O_RDONLY);
  ASSERT_EQ(::lseek(own.raw(), 4, SEEK_SET), 4);
  const auto taken = take(own.raw());
  ASSERT_TRUE(taken);
  if (taken->fds[0] == own.raw()) GTEST_SKIP() << "no mount can be made here";
  char text[3] = {};
  EXPECT_EQ(::read(taken->fds[0], text, 2), 2);
  EXPECT_STREQ(text, "45");
  ASSERT_EQ(::fchmod(own.raw(), 0600), 0);
  EXPECT_NE(::fchmod(taken->fds[0], 0777), 0);
  EXPECT_EQ(errno, EROFS);
  EXPECT_NE(::futimens(taken->fds[0], nullptr), 0);
  const std::string link = "/proc/self/fd/" + std::to_string(taken->fds[0]);
  EXPECT_NE(::chmod(link.c_str(), 0777), 0);
  EXPECT_LT(::open(link.c_str(), O_WRONLY | O_CLOEXEC), 0);
  stdio_.restore_offsets();
  EXPECT_EQ(::lseek(own.raw(), 0, SEEK_CUR), 6);
}

TEST_F(StdioHandoffTest, AFileForWritingIsPassedUnchanged) {
  for (const int flags : {O_WRONLY, O_RDWR}) {
    const auto own = open(flags);
    const auto taken = take(own.raw());
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->fds[0], own.raw());
  }
}

}  // namespace
}  // namespace pinfold::backend::on_linux
