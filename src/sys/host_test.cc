// host_test.cc: the real host's answers, on a directory that the test makes.
#include "sys/host.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "sys/fd.h"

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
  void TearDown() override { std::filesystem::remove_all(base_); }
  std::string base_;
  std::unique_ptr<HostView> host_ = real_host();
};

TEST_F(RealHostTest, ResolvesAndReportsEveryLink) {
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

TEST_F(RealHostTest, ListsAtMostTheRequestedNumber) {
  const std::string large = base_ + "/large";
  ASSERT_EQ(::mkdir(large.c_str(), 0700), 0);
  constexpr std::size_t kFiles = 5000;  // several times the entries of one getdents64() call
  const std::string first = large + "/file0";
  ASSERT_TRUE(Fd::adopt(::open(first.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)).is_open());
  // Links: quicker to make than files, and the same in a listing.
  for (std::size_t i = 1; i < kFiles; ++i)
    ASSERT_EQ(::link(first.c_str(), (large + "/file" + std::to_string(i)).c_str()), 0);
  auto whole = host_->list_within(large, {});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->complete);
  EXPECT_EQ(whole->entries.size(), kFiles);
  auto some = host_->list_within(large, {10, UINT64_MAX});
  ASSERT_TRUE(some);
  EXPECT_FALSE(some->complete);
  EXPECT_LT(some->entries.size(), kFiles);
  auto late = host_->list_within(large, {SIZE_MAX, host_->now_ms()});
  ASSERT_TRUE(late);
  EXPECT_FALSE(late->complete);
  EXPECT_LT(late->entries.size(), kFiles);
  auto small = host_->list_within(base_ + "/ws", {0, 0});
  ASSERT_TRUE(small);
  EXPECT_TRUE(small->complete) << "a small directory is read under any bounds";
}

// "Missing" and "the host could not say" are the same answer to kind() and list(), so the second is remembered.
TEST_F(RealHostTest, RecordsTheFirstFailedQuery) {
  EXPECT_EQ(host_->kind(base_ + "/missing"), HostKind::kMissing);
  EXPECT_FALSE(host_->take_host_error());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_FALSE(host_->list(base_));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  const auto made = unless_host_failed(*host_, Result<int>(1));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text(), "looking at the host's files: " + base_ + ": Too many open files");
  EXPECT_TRUE(unless_host_failed(*host_, Result<int>(1))) << "asked once, it is over";
}

}  // namespace
}  // namespace pinfold::sys
