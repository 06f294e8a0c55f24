// files_test.cc: published files are old or new, never between; files are read with their owner, and only inside.
// Not here: which files matter (settings/).
#include "sys/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "sys/call.h"

namespace pinfold::sys {
namespace {

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "pinfold-files-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base = std::filesystem::canonical(name).string();
    auto opened = make_directory(base + "/a/b");
    ASSERT_TRUE(opened) << opened.error().text();
    inside = std::move(*opened);
  }
  void TearDown() override { std::filesystem::remove_all(base); }
  Result<HostFile> read(const std::string& name, Links links = Links::kStayInside, std::size_t limit = 100000) {
    return read_file_below(base + "/a/b", name, links, limit);
  }
  std::string text(const std::string& name) {
    auto file = read(name);
    return file ? file->text : "error: " + file.error().text();
  }
  std::string base;
  Fd inside = Fd::adopt(-1);
};

TEST_F(FilesTest, PublishedForTheOwnerAlone) {
  ASSERT_TRUE(publish_file(inside.raw(), "x", "one", "x"));
  ASSERT_TRUE(publish_file(inside.raw(), "x", "two", "x"));
  const auto file = read("x");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text, "two");
  EXPECT_EQ(file->mode, 0600U);
  EXPECT_EQ(file->uid, ::getuid());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(base + "/a/b"), {}), 1) << "nothing else is left";
}

TEST_F(FilesTest, ASymlinkIsReplacedNotFollowed) {
  std::ofstream(base + "/victim") << "mine";
  ASSERT_EQ(::symlink("../../victim", (base + "/a/b/x").c_str()), 0);
  ASSERT_TRUE(publish_file(inside.raw(), "x", "new", "x"));
  EXPECT_EQ(text("x"), "new");
  std::string kept;
  std::ifstream(base + "/victim") >> kept;
  EXPECT_EQ(kept, "mine");
}

TEST_F(FilesTest, AReaderSeesTheOldTextOrTheNew) {
  const std::string small(10, 'a');
  const std::string big(60000, 'b');
  ASSERT_TRUE(publish_file(inside.raw(), "x", small, "x"));
  const pid_t child = ::fork();
  if (child == 0) {
    for (int i = 0; i < 60; ++i)
      if (!publish_file(inside.raw(), "x", i % 2 == 0 ? big : small, "x")) ::_exit(1);
    ::_exit(0);
  }
  int status = -1;
  int reads = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const std::string seen = text("x");
    ASSERT_TRUE(seen == small || seen == big) << seen.size() << " bytes: " << seen.substr(0, 80);
    ++reads;
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(reads, 0);
}

TEST_F(FilesTest, RefusesUntrustedFilesWithAReason) {
  EXPECT_EQ(read("nope").error().kind(), ErrorKind::kNotFound);
  ASSERT_EQ(::symlink("../../out", (base + "/a/b/leaves").c_str()), 0);
  ASSERT_EQ(::symlink((base + "/out").c_str(), (base + "/a/b/absolute").c_str()), 0);
  std::ofstream(base + "/out") << "outside";
  EXPECT_EQ(read("leaves").error().kind(), ErrorKind::kRefused);
  EXPECT_EQ(read("absolute").error().kind(), ErrorKind::kRefused);
  EXPECT_EQ(read("leaves", Links::kAnywhere)->text, "outside");
  ASSERT_EQ(::mkfifo((base + "/a/b/fifo").c_str(), 0600), 0);
  EXPECT_EQ(read("fifo").error().kind(), ErrorKind::kRefused) << "and it did not wait for a writer";
  ASSERT_EQ(::mkdir((base + "/a/b/dir").c_str(), 0700), 0);
  EXPECT_EQ(read("dir").error().kind(), ErrorKind::kRefused);
  ASSERT_TRUE(publish_file(inside.raw(), "long", std::string(101, 'x'), "long"));
  EXPECT_EQ(read("long", Links::kStayInside, 100).error().kind(), ErrorKind::kRefused);
  EXPECT_TRUE(read("long", Links::kStayInside, 101));
}

TEST_F(FilesTest, CreateNeverReplaces) {
  ASSERT_TRUE(create_file(base + "/new", "text"));
  EXPECT_EQ(create_file(base + "/new", "other").error().kind(), ErrorKind::kInvalid);
  ASSERT_EQ(::symlink("nowhere", (base + "/dangling").c_str()), 0);
  EXPECT_EQ(create_file(base + "/dangling", "x").error().kind(), ErrorKind::kInvalid);
  EXPECT_FALSE(std::filesystem::exists(base + "/nowhere"));
}

TEST_F(FilesTest, TheLockExcludesOtherProcesses) {
  auto first = lock_file(inside.raw(), "lock", "lock");
  ASSERT_TRUE(first);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(1);  // dies by it while it waits
    const auto second = lock_file(inside.raw(), "lock", "lock");
    ::_exit(second ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

TEST_F(FilesTest, WaitingForALockIsBounded) {
  auto first = lock_file(inside.raw(), "lock", "/some/where");
  ASSERT_TRUE(first);
  const auto second = lock_file(inside.raw(), "lock", "/some/where", std::chrono::milliseconds(20));
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().text().find("the lock on /some/where/lock"), std::string::npos) << second.error().text();
  // On a file system whose device /proc/locks shows differently, the process is not named.
  const std::string own = "process " + std::to_string(::getpid()) + " has held the lock";
  if (second.error().text().find(own) == std::string::npos)
    EXPECT_NE(second.error().fix().find("fuser -v /some/where/lock"), std::string::npos) << second.error().text();
  else
    EXPECT_NE(second.error().fix().find("kill " + std::to_string(::getpid())), std::string::npos);
  *first = Fd();
  EXPECT_TRUE(lock_file(inside.raw(), "lock", "/some/where", std::chrono::milliseconds(20)));
}

TEST(OsError, ShowsControlCharactersOfItsSubject) {
  const Error error = os_error("open", "/srv/a\033[31m\n", ENOENT);
  EXPECT_EQ(error.text(), "open(/srv/a\\x1b[31m\\n): No such file or directory");
}

TEST(FreshSecret, IsLongAndNeverTheSame) {
  const auto one = fresh_secret();
  const auto other = fresh_secret();
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->size(), 32U);
  EXPECT_EQ(one->find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(*one, *other);
}

}  // namespace
}  // namespace pinfold::sys
