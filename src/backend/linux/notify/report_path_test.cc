// report_path_test.cc: resolves paths of the test process itself, in a directory of its own.
#include "backend/linux/notify/report_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "sys/fd.h"

namespace pinfold::backend::on_linux {
namespace {

class SandboxPathViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/report-path-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base_ = std::filesystem::canonical(name).string();
    std::filesystem::create_directories(base_ + "/a/b");
    sys::Fd::adopt(::open((base_ + "/a/file").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    link("a", "to-a");
    link("/proc/self/fd/0", "magic");
    link("nowhere/x", "dangling");
    link("loop", "loop");
    ::mkfifo((base_ + "/pipe").c_str(), 0600);
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  void link(const char* target, const std::string& name) const {
    ASSERT_EQ(::symlink(target, (base_ + "/" + name).c_str()), 0);
  }
  // The path below base_, with " ?" if the last name is missing and " ??" if more are; "-" for nullopt.
  std::string found(const std::string& name, Follow follow = Follow::kLinks, int directory = AT_FDCWD) {
    const auto target_path = view_.resolve(static_cast<std::uint32_t>(::getpid()), directory, name, follow);
    if (!target_path) return "-";
    const std::string path =
        target_path->path.starts_with(base_) ? target_path->path.substr(base_.size()) : target_path->path;
    return path + (target_path->kind != HostKind::kMissing ? "" : target_path->parent_exists ? " ?" : " ??");
  }
  std::string here(const std::string& name, Follow follow = Follow::kLinks) {
    return found(base_ + "/" + name, follow);
  }

  std::string base_;
  SandboxPathView view_;
};

TEST_F(SandboxPathViewTest, FollowsNamesAsTheKernelDoes) {
  EXPECT_EQ(here("a/file"), "/a/file");
  EXPECT_EQ(here("a/../a/./b//../file"), "/a/file");
  EXPECT_EQ(here("to-a/file"), "/a/file");
  EXPECT_EQ(here("to-a"), "/a");
  EXPECT_EQ(here("to-a", Follow::kNotTheLast), "/to-a");
  EXPECT_EQ(here("to-a/", Follow::kNotTheLast), "/a");
  EXPECT_EQ(here("to-a/.."), "");
  EXPECT_EQ(here("a/new"), "/a/new ?");
  EXPECT_EQ(here("none/new"), "/none/new ??");
  EXPECT_EQ(here("dangling"), "/nowhere/x ??");
  EXPECT_EQ(here("a/file/below"), "-") << "ENOTDIR";
  EXPECT_EQ(here("loop"), "-") << "ELOOP";
  EXPECT_EQ(here("loop/x"), "-") << "ELOOP";
  EXPECT_EQ(found("/"), "/");
  EXPECT_EQ(found(""), "-");
  EXPECT_EQ(here("pipe"), "/pipe") << "and does not wait for a writer";
}

TEST_F(SandboxPathViewTest, StartsAtTheCallersDirectory) {
  const auto directory = sys::Fd::adopt(::open((base_ + "/a").c_str(), O_PATH | O_CLOEXEC));
  EXPECT_EQ(found("file", Follow::kLinks, directory.raw()), "/a/file");
  EXPECT_EQ(found("../to-a/b", Follow::kLinks, directory.raw()), "/a/b");
  EXPECT_EQ(found("file", Follow::kLinks, 9999), "-");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(base_ + "/a/b");
  EXPECT_EQ(found("../file"), "/a/file");
  EXPECT_EQ(found("/proc/self/cwd/../file"), "/a/file");
  std::filesystem::current_path(before);
}

TEST_F(SandboxPathViewTest, ResolvesDescriptors) {
  const auto file = sys::Fd::adopt(::open((base_ + "/a/file").c_str(), O_RDONLY | O_CLOEXEC));
  const auto directory = sys::Fd::adopt(::open((base_ + "/a").c_str(), O_RDONLY | O_CLOEXEC));
  const std::string number = std::to_string(file.raw());
  EXPECT_EQ(found("/proc/self/fd/" + number), "/a/file");
  EXPECT_EQ(found("/dev/fd/" + number), "/a/file");
  EXPECT_EQ(found("/proc/" + std::to_string(::getpid()) + "/fd/" + number), "/a/file");
  EXPECT_EQ(found("/proc/self/fd/" + std::to_string(directory.raw()) + "/b/new"), "/a/b/new ?");
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(found("/proc/self/fd/" + std::to_string(ends[1])), "-") << "a pipe has no place";
  ::close(ends[0]);
  ::close(ends[1]);
  std::filesystem::remove(base_ + "/magic");
  link(("/proc/self/fd/" + number).c_str(), "magic");
  EXPECT_EQ(here("magic"), "/a/file");
}

TEST_F(SandboxPathViewTest, LongAndStrangeNames) {
  std::string deep;
  while (base_.size() + deep.size() < 3800) deep += "/" + std::string(200, 'x');
  EXPECT_EQ(here(deep.substr(1)), deep + " ??");
  std::filesystem::create_directories(base_ + deep);
  EXPECT_EQ(here(deep.substr(1)), deep);
  EXPECT_EQ(here(deep.substr(1) + "/new"), deep + "/new ?");
  EXPECT_EQ(here("a/\xff\n\x1b"), "/a/\xff\n\x1b ?");
  std::string many;
  while (base_.size() + many.size() < 4000) many += "/m";
  EXPECT_EQ(here(many.substr(1)), many + " ??");
}

}  // namespace
}  // namespace pinfold::backend::on_linux
