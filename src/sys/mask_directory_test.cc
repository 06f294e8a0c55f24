// mask_directory_test.cc: directories that only hide a name, on a real file system.
#include "sys/mask_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace pinfold::sys {
namespace {

namespace fs = std::filesystem;

class MaskDirectoriesTest : public ::testing::Test {
 protected:
  MaskDirectoriesTest() {
    char name[] = "/tmp/pinfold-mask-test-XXXXXX";
    if (::mkdtemp(name) != nullptr) base = name;
    path = base + "/.config/pinfold";
  }
  ~MaskDirectoriesTest() override { fs::remove_all(base); }
  static unsigned mode_of(const std::string& of) {
    struct stat info {};
    return ::stat(of.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
  }
  std::string base;
  std::string path;
};

TEST_F(MaskDirectoriesTest, AreRemovedWithThoseAbove) {
  {
    MaskDirectories made;
    ASSERT_TRUE(made.make(path));
    EXPECT_EQ(mode_of(path), kMaskMode);
    EXPECT_TRUE(MaskDirectories::is_mask_or_missing(path));
  }
  EXPECT_TRUE(fs::is_empty(base));
}

TEST_F(MaskDirectoriesTest, OrdinaryDirectoriesStay) {
  fs::create_directories(path);
  ASSERT_EQ(::chmod(path.c_str(), 0700), 0);
  EXPECT_FALSE(MaskDirectories::is_mask_or_missing(path));
  {
    MaskDirectories made;
    ASSERT_TRUE(made.make(path));
    ASSERT_TRUE(made.hold());
  }
  EXPECT_EQ(mode_of(path), 0700U);
}

TEST_F(MaskDirectoriesTest, TheLastHolderRemovesThem) {
  MaskDirectories first;
  ASSERT_TRUE(first.make(path));
  ASSERT_TRUE(first.hold());
  MaskDirectories second({path});
  ASSERT_TRUE(second.hold());
  EXPECT_TRUE(first.remove());
  EXPECT_TRUE(fs::exists(path));
  EXPECT_TRUE(second.remove());
  EXPECT_TRUE(fs::is_empty(base));
}

TEST_F(MaskDirectoriesTest, HoldingMakesThemAgain) {
  MaskDirectories made({path});
  ASSERT_TRUE(made.hold());
  EXPECT_EQ(mode_of(path), kMaskMode);
  EXPECT_TRUE(made.remove());
  EXPECT_TRUE(fs::is_empty(base));
}

TEST_F(MaskDirectoriesTest, OneInUseStaysWithAnOrdinaryMode) {
  MaskDirectories made;
  ASSERT_TRUE(made.make(path));
  ASSERT_EQ(::mkdir((path + "/grants").c_str(), 0700), 0);
  EXPECT_TRUE(made.remove());
  EXPECT_EQ(mode_of(path), 0700U);
  EXPECT_EQ(mode_of(base + "/.config"), 0700U);
}

TEST_F(MaskDirectoriesTest, TheOneAboveKeepsItsMarkWhileAnotherIsHeld) {
  MaskDirectories one;
  MaskDirectories other;
  ASSERT_TRUE(one.make(base + "/top/a"));
  ASSERT_TRUE(other.make(base + "/top/b"));
  ASSERT_TRUE(other.hold());
  EXPECT_TRUE(one.remove());
  EXPECT_EQ(mode_of(base + "/top"), kMaskMode);
  EXPECT_TRUE(other.remove());
  EXPECT_TRUE(fs::is_empty(base));
}

TEST_F(MaskDirectoriesTest, ALockThatAnotherProgramKeepsDelaysNoRun) {
  MaskDirectories made;
  ASSERT_TRUE(made.make(path));
  const int other = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_TRUE(made.hold());
  EXPECT_TRUE(made.remove());
  EXPECT_TRUE(fs::exists(path));
  ::close(other);
  EXPECT_TRUE(made.remove());
  EXPECT_TRUE(fs::is_empty(base));
}

TEST_F(MaskDirectoriesTest, WhatThisUserCannotMakeIsNoError) {
  MaskDirectories made;
  EXPECT_TRUE(made.make("/proc/self/none/pinfold"));
  EXPECT_TRUE(made.remove());
}

}  // namespace
}  // namespace pinfold::sys
