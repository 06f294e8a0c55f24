// remove_tree_test.cc: trees that a recursive removal cannot finish.
#include "sys/remove_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sys/fd.h"

namespace pinfold::sys {
namespace {

namespace fs = std::filesystem;

class RemoveTree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/remove-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base_ = fs::canonical(name).string();
    ASSERT_EQ(::mkdir((base_ + "/tree").c_str(), 0700), 0);
  }
  void TearDown() override {
    static_cast<void>(remove_tree(base_ + "/tree"));
    fs::remove_all(base_);
  }
  // Longer than any path may be, with a file at every level.
  void make_deep(int levels, mode_t mode) const {
    auto at = Fd::adopt(::open((base_ + "/tree").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::string name(200, 'd');
    for (int i = 0; i < levels; ++i) {
      ASSERT_EQ(::mkdirat(at.raw(), name.c_str(), 0700), 0);
      ASSERT_TRUE(Fd::adopt(::openat(at.raw(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).is_open());
      auto next = Fd::adopt(::openat(at.raw(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      ASSERT_TRUE(next.is_open());
      ASSERT_EQ(::fchmod(at.raw(), i == 0 ? 0700 : mode), 0);
      at = std::move(next);
    }
  }
  std::string base_;
};

TEST_F(RemoveTree, OfAnyDepthWithFewDescriptors) {
  make_deep(2000, 0700);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{32, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto removed = remove_tree(base_ + "/tree");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(removed) << removed.error().text();
  EXPECT_FALSE(fs::exists(base_ + "/tree"));
}

TEST_F(RemoveTree, RemovesDirectoriesWithoutPermissions) {
  constexpr uid_t kNobody = 65534;
  const bool root = ::geteuid() == 0;
  if (root) {  // modes mean nothing to root
    ASSERT_EQ(::chown(base_.c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::chown((base_ + "/tree").c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  make_deep(50, 0);
  const auto removed = remove_tree(base_ + "/tree");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_TRUE(removed) << removed.error().text();
  EXPECT_FALSE(fs::exists(base_ + "/tree"));
}

TEST_F(RemoveTree, FollowsNoLinkAndReportsFailures) {
  fs::create_directories(base_ + "/kept/inner");
  fs::create_directories(base_ + "/tree/a");
  fs::create_directory_symlink(base_ + "/kept", base_ + "/tree/a/out");
  fs::create_directory_symlink(base_ + "/kept", base_ + "/tree/out");
  EXPECT_TRUE(remove_tree(base_ + "/tree"));
  EXPECT_TRUE(fs::exists(base_ + "/kept/inner"));
  EXPECT_TRUE(remove_tree(base_ + "/tree")) << "an absent one";
  EXPECT_FALSE(remove_tree("/proc/self"));
}

}  // namespace
}  // namespace pinfold::sys
