// file_clock_test.cc: a file system of this kernel is never behind; one that takes no new file is an error.
#include "backend/linux/protect/file_clock.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sys/fd.h"

namespace pinfold::backend::on_linux {
namespace {

TEST(FileClockTest, LeavesNoFileAndIsNotBehind) {
  std::string name = ::testing::TempDir() + "/file-clock-XXXXXX";
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const auto directory = sys::Fd::adopt(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const FileClock clock = measure_clock(directory.raw());
  EXPECT_EQ(clock.behind_ns, 0);
  EXPECT_EQ(clock.error, 0);
  EXPECT_TRUE(std::filesystem::is_empty(name));
  std::filesystem::remove_all(name);
}

TEST(FileClockTest, WithoutANewFileTheClockIsUnknown) {
  const auto directory = sys::Fd::adopt(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_NE(measure_clock(directory.raw()).error, 0);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
