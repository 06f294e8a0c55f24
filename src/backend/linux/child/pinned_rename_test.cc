// pinned_rename_test.cc: removing and renaming act on the pinned file or fail.
// Not here: quarantine names (protect/quarantine.cc).
#include "backend/linux/child/pinned_rename.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "sys/fd.h"

namespace pinfold::backend::on_linux::child {
namespace {

namespace fs = std::filesystem;

class PinnedRename : public ::testing::Test {
 protected:
  PinnedRename() {
    char name[] = "/var/tmp/pinfold-exact-XXXXXX";
    place_ = ::mkdtemp(name);
    directory_ = sys::Fd::adopt(::open(place_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~PinnedRename() override { fs::remove_all(place_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(place_ / name) << text; }
  std::string read(const std::string& name) const {
    std::string text;
    std::getline(std::ifstream(place_ / name), text);
    return text;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(place_), fs::directory_iterator()));
  }
  PinnedName pin(const char* name) const {
    struct stat info {};
    if (::fstatat(directory_.raw(), name, &info, AT_SYMLINK_NOFOLLOW) != 0)
      return {directory_.raw(), name, 0, 0, false};
    return {directory_.raw(), name, info.st_dev, info.st_ino, S_ISDIR(info.st_mode)};
  }

  fs::path place_;
  sys::Fd directory_;
};

TEST_F(PinnedRename, RemovesTheFileThatWasPinned) {
  write("a", "one");
  fs::create_directory(place_ / "d");
  EXPECT_EQ(remove_pinned(pin("a")), 0);
  EXPECT_EQ(remove_pinned(pin("d")), 0);
  EXPECT_EQ(remove_pinned(pin("a")), ENOENT);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(PinnedRename, AnotherFileOfThatNameStays) {
  write("a", "one");
  write("b", "two");
  const PinnedName pinned = pin("a");
  // Held open, or another file could get its inode number.
  const auto held = sys::Fd::adopt(::openat(directory_.raw(), "a", O_PATH | O_CLOEXEC));
  fs::rename(place_ / "b", place_ / "a");
  EXPECT_EQ(remove_pinned(pinned), kOtherFile);
  write("c", "three");
  EXPECT_EQ(rename_pinned(pinned, pin("c"), 0), kOtherFile);
  EXPECT_EQ(rename_pinned(pinned, pin("new"), 0), kOtherFile);
  EXPECT_EQ(read("a"), "two");
  EXPECT_EQ(read("c"), "three");
  EXPECT_EQ(entries(), 2U);
}

TEST_F(PinnedRename, AFileThatTookTheNewNameStays) {
  write("a", "one");
  write("b", "two");
  write("c", "three");
  const PinnedName replaced = pin("b");
  const auto held = sys::Fd::adopt(::openat(directory_.raw(), "b", O_PATH | O_CLOEXEC));
  fs::rename(place_ / "c", place_ / "b");
  EXPECT_EQ(rename_pinned(pin("a"), replaced, 0), kOtherFile);
  const PinnedName absent = pin("d");
  write("d", "four");
  EXPECT_EQ(rename_pinned(pin("a"), absent, 0), kOtherFile);
  EXPECT_EQ(rename_pinned(pin("a"), absent, 1), EEXIST);
  EXPECT_EQ(read("a") + read("b") + read("d"), "onethreefour");
  EXPECT_EQ(entries(), 3U);
}

TEST_F(PinnedRename, RenamesAsTheKernelDoes) {
  write("a", "one");
  write("b", "two");
  fs::create_directories(place_ / "full/in");
  fs::create_directory(place_ / "empty");
  EXPECT_EQ(rename_pinned(pin("a"), pin("b"), 1), EEXIST);
  EXPECT_EQ(rename_pinned(pin("a"), pin("b"), 2), 0);
  EXPECT_EQ(read("a") + read("b"), "twoone");
  EXPECT_EQ(rename_pinned(pin("a"), pin("b"), 0), 0);
  EXPECT_EQ(read("b"), "two");
  EXPECT_EQ(rename_pinned(pin("b"), pin("empty"), 0), EISDIR);
  EXPECT_EQ(rename_pinned(pin("empty"), pin("b"), 0), ENOTDIR);
  EXPECT_EQ(rename_pinned(pin("empty"), pin("full"), 0), ENOTEMPTY);
  EXPECT_EQ(rename_pinned(pin("full"), pin("empty"), 0), 0);
  EXPECT_EQ(remove_pinned(pin("empty")), ENOTEMPTY);
  EXPECT_EQ(rename_pinned(pin("b"), pin("moved"), 0), 0);
  EXPECT_EQ(entries(), 2U);
}

// The name alternates between the pinned file and another: only the pinned one may be removed.
TEST_F(PinnedRename, WithstandsAThreadThatExchangesNames) {
  write("other", "kept");
  std::atomic<bool> stop{false};
  std::thread exchanger([&] {
    while (!stop) ::syscall(SYS_renameat2, directory_.raw(), "a", directory_.raw(), "other", 2U);
  });
  int removed = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto fresh = sys::Fd::adopt(::openat(directory_.raw(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!fresh.is_open()) break;
    const std::string path = "/proc/self/fd/" + std::to_string(fresh.raw());
    struct stat info {};
    ::fstat(fresh.raw(), &info);
    if (::linkat(AT_FDCWD, path.c_str(), directory_.raw(), "a", AT_SYMLINK_FOLLOW) != 0) continue;
    const PinnedName pinned{directory_.raw(), "a", info.st_dev, info.st_ino, false};
    for (int tries = 0; tries < 100000; ++tries) {
      const int done = remove_pinned(pinned);
      if (done == 0) ++removed;
      if (done == 0) break;
    }
  }
  stop = true;
  exchanger.join();
  bool kept = false;
  for (const auto& entry : fs::directory_iterator(place_)) kept = kept || read(entry.path().filename()) == "kept";
  EXPECT_TRUE(kept);
  EXPECT_GT(removed, 0);
}

}  // namespace
}  // namespace pinfold::backend::on_linux::child
