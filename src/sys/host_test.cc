// host_test.cc: the real host's answers, on a directory that the test makes.
#include "sys/host.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace pinfold::sys {
namespace {

class RealHostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/pinfold-host-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    char real[4096];
    ASSERT_NE(::realpath(name, real), nullptr);
    base_ = real;
    ASSERT_EQ(::mkdir((base_ + "/ws").c_str(), 0755), 0);
    ASSERT_EQ(::mkdir((base_ + "/out").c_str(), 0755), 0);
    ASSERT_EQ(::mkdir((base_ + "/out/deep").c_str(), 0755), 0);
    ASSERT_EQ(::symlink("../out", (base_ + "/ws/a").c_str()), 0);
    ASSERT_EQ(::symlink((base_ + "/ws").c_str(), (base_ + "/link").c_str()), 0);
    ASSERT_EQ(::symlink("loop", (base_ + "/loop").c_str()), 0);
  }
  void TearDown() override {
    for (const char* name : {"/ws/a", "/link", "/loop"}) ::unlink((base_ + name).c_str());
    for (const char* name : {"/out/deep", "/out", "/ws", ""}) ::rmdir((base_ + name).c_str());
  }
  std::string base_;
  std::unique_ptr<HostView> host_ = real_host();
};

TEST_F(RealHostTest, ResolvesAndSaysWhereEachLinkLies) {
  auto info = host_->resolve(base_ + "/link/a/deep");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->canonical, base_ + "/out/deep");
  ASSERT_EQ(info->links.size(), 2U);
  EXPECT_EQ(info->links[0].at, base_ + "/link");
  EXPECT_EQ(info->links[0].target, base_ + "/ws");
  EXPECT_EQ(info->links[1].at, base_ + "/ws/a");
  EXPECT_EQ(info->links[1].target, base_ + "/out");
}

TEST_F(RealHostTest, DotDotAfterALinkIsTheTargetsParent) {
  auto info = host_->resolve(base_ + "/ws/a/../ws");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->canonical, base_ + "/ws");
}

TEST_F(RealHostTest, NamesTheFirstMissingComponentAndEndsLoops) {
  auto missing = host_->resolve(base_ + "/ws/none/x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotFound);
  EXPECT_NE(missing.error().text().find(base_ + "/ws/none"), std::string::npos);
  EXPECT_FALSE(host_->resolve(base_ + "/loop"));
}

TEST_F(RealHostTest, ListsWithKindsAndFindsKernelMounts) {
  auto entries = host_->list(base_ + "/ws");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ((*entries)[0].kind, HostKind::kSymlink);
  bool proc = false;
  for (const HostMount& mount : host_->kernel_mounts()) proc = proc || (mount.at == "/proc" && mount.type == "proc");
  EXPECT_TRUE(proc);
}

}  // namespace
}  // namespace pinfold::sys
