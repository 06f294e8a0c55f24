// caller_path_test.cc: resolves paths of the test process itself, also of files that have no path.
#include "backend/linux/notify/caller_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

class CallerPathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/place-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base_ = fs::canonical(name).string();
    before_ = fs::current_path();
    fs::current_path(base_);
    fs::create_directories("a/b");
    fs::create_symlink("a/new", "dangling");
    fs::create_symlink("/proc/self/cwd", "proc");
    fs::create_symlink("loop", "loop");
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(base_);
  }

  // The resolved path, with " ?" if the name does not exist; "fails" or "unknown" otherwise.
  static std::string found(const std::string& name, Follow follow = Follow::kNotTheLast, int directory = AT_FDCWD) {
    const CallerPath place = resolve_caller_path(static_cast<std::uint32_t>(::getpid()), directory, name, follow);
    if (place.kind == CallerPath::Kind::kFails) return "fails";
    if (place.kind == CallerPath::Kind::kUnknown) return "unknown";
    const std::string there = place.target.is_open() ? "" : " ?";
    if (!place.parent.is_open()) return path_of(place.target);
    return path_of(place.parent) + "/" + place.name + there;
  }

  std::string base_;
  fs::path before_;
};

TEST_F(CallerPathTest, ResolvesEverySpellingOfOneName) {
  const auto here = sys::Fd::adopt(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string number = std::to_string(here.raw());
  const std::string self = std::to_string(::getpid());
  for (const std::string& name :
       {std::string("x"), std::string("./a/../x"), base_ + "/x", std::string("/proc/self/cwd/x"),
        std::string("/proc/thread-self/cwd/x"), std::string("//proc/../proc/./self//cwd/x"), "/proc/" + self + "/cwd/x",
        "/proc/self/task/" + self + "/cwd/x", "/proc/self/fd/" + number + "/x", "/dev/fd/" + number + "/a/../x",
        "/proc/self/root" + base_ + "/x", std::string("proc/x"), "/proc/self/../" + self + "/cwd/x"})
    EXPECT_EQ(found(name), base_ + "/x ?") << name;
  EXPECT_EQ(found("x", Follow::kNotTheLast, here.raw()), base_ + "/x ?");
}

TEST_F(CallerPathTest, FollowsTheLastLinkIfTheCallDoes) {
  EXPECT_EQ(found("dangling"), base_ + "/dangling");
  EXPECT_EQ(found("dangling", Follow::kLinks), base_ + "/a/new ?");
  EXPECT_EQ(found("proc", Follow::kLinks), base_);
  EXPECT_EQ(found("a/b"), base_ + "/a/b");
  EXPECT_EQ(found("a/.."), base_);
}

TEST_F(CallerPathTest, ReportsPathsThatTheKernelWouldRefuse) {
  for (const char* name : {"none/x", "loop/x", "", "/proc/self/fd/9999/x"}) EXPECT_EQ(found(name), "fails") << name;
  EXPECT_EQ(found("loop", Follow::kLinks), "fails");
  EXPECT_EQ(found("x", Follow::kNotTheLast, 9999), "fails");
}

TEST_F(CallerPathTest, DirectoriesWithoutAPath) {
  fs::create_directory("gone");
  fs::current_path("gone");
  ASSERT_EQ(::rmdir("../gone"), 0);
  EXPECT_EQ(found("../x"), base_ + "/x ?");
  ASSERT_EQ(::chdir(base_.c_str()), 0);
  const std::string deep(250, 'd');
  std::string up;
  for (int i = 0; i < 18; ++i, up += "../") {
    ASSERT_EQ(::mkdir(deep.c_str(), 0700), 0);
    ASSERT_EQ(::chdir(deep.c_str()), 0);
  }
  EXPECT_EQ(found(up + "x"), base_ + "/x ?");
  ASSERT_EQ(::chdir(base_.c_str()), 0);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
