// find_test.cc: which file of that name is run, and which is refused.
#include "backend/linux/bubblewrap/find.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace pinfold::backend::on_linux {
namespace {

namespace fs = std::filesystem;

class FindBubblewrap : public ::testing::Test {
 protected:
  FindBubblewrap() {
    std::string pattern = (fs::temp_directory_path() / "pinfold-find-XXXXXX").string();
    top_ = ::mkdtemp(pattern.data());
  }
  ~FindBubblewrap() override { fs::remove_all(top_); }

  std::string directory(const std::string& name, mode_t mode = 0755) {
    const fs::path made = top_ / name;
    fs::create_directories(made);
    ::chmod(made.c_str(), mode);
    return made.string();
  }
  // With exactly this mode, regardless of the umask.
  std::string program(const std::string& directory, const std::string& name, mode_t mode = 0755) {
    const std::string path = directory + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n";
    ::chmod(path.c_str(), mode);
    return path;
  }
  Result<BubblewrapProgram> find(const std::vector<std::string>& directories) const {
    return find_bubblewrap(directories, {0, ::getuid()});
  }
  std::string why_not(const std::vector<std::string>& directories) const {
    auto found = find(directories);
    return found ? "found " + found->path : found.error().text();
  }

  fs::path top_;
};

TEST_F(FindBubblewrap, ReturnsTheFirstTrustedProgram) {
  const auto first = directory("first", 0777);
  const auto second = directory("second");
  program(first, "bwrap");
  program(second, "bwrap");
  auto found = find({first, second});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->path, second + "/bwrap");
  EXPECT_FALSE(found->is_setuid);
}

TEST_F(FindBubblewrap, ReturnsADescriptorOfTheCheckedFile) {
  const auto bin = directory("bin");
  const auto path = program(bin, "bwrap", 04755);
  auto found = find({bin});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_TRUE(found->is_setuid);
  struct stat judged {};
  struct stat there {};
  ASSERT_EQ(::fstat(found->program.raw(), &judged), 0);
  ASSERT_EQ(::stat(path.c_str(), &there), 0);
  EXPECT_EQ(judged.st_ino, there.st_ino);
}

TEST_F(FindBubblewrap, ReportsThatNoProgramIsInstalled) {
  const auto bin = directory("bin");
  auto found = find({bin, "/nowhere"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text(), "bubblewrap is not installed");
  EXPECT_EQ(found.error().kind(), ErrorKind::kUnavailable);
}

TEST_F(FindBubblewrap, RefusesAProgramWritableByOthers) {
  const auto bin = directory("bin");
  program(bin, "bwrap", 0775);
  EXPECT_NE(why_not({bin}).find("bwrap is not trusted: other users may write to it"), std::string::npos)
      << why_not({bin});
}

TEST_F(FindBubblewrap, RefusesAParentDirectoryWritableByOthers) {
  const auto bin = directory("open/bin");
  program(bin, "bwrap");
  directory("open", 0777);
  EXPECT_NE(why_not({bin}).find("/open is not trusted: other users may write to it"), std::string::npos)
      << why_not({bin});
}

TEST_F(FindBubblewrap, RefusesAProgramOfAnotherUser) {
  const auto bin = directory("bin");
  const auto path = program(bin, "bwrap");
  const uid_t stranger = ::getuid() + 1;
  // Without CAP_CHOWN, this process plays the other user: the file's owner is not on the list.
  const bool given = ::chown(path.c_str(), stranger, stranger) == 0;
  auto found = find_bubblewrap({bin}, given ? std::vector<uid_t>{0, ::getuid()} : std::vector<uid_t>{0});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().text().find("it belongs to another user"), std::string::npos) << found.error().text();
}

TEST_F(FindBubblewrap, AcceptsALinkToATrustedProgram) {
  const auto bin = directory("bin");
  const auto store = directory("store");
  const auto home = directory("home", 0777);
  fs::create_symlink("../store/bubblewrap", bin + "/bwrap");
  program(store, "bubblewrap");
  EXPECT_TRUE(find({bin})) << why_not({bin});
  fs::remove(bin + "/bwrap");
  fs::create_symlink(program(home, "bwrap"), bin + "/bwrap");
  EXPECT_NE(why_not({bin}).find("/home is not trusted"), std::string::npos) << why_not({bin});
}

TEST_F(FindBubblewrap, RefusesALinkInADirectoryWritableByOthers) {
  const auto bin = directory("bin");
  const auto open = directory("open", 0777);
  fs::create_symlink(open + "/bwrap", bin + "/bwrap");
  fs::create_symlink(program(bin, "python"), open + "/bwrap");
  EXPECT_NE(why_not({bin}).find("/open is not trusted"), std::string::npos) << why_not({bin});
}

TEST_F(FindBubblewrap, RefusesFilesThatAreNotExecutable) {
  const auto bin = directory("bin");
  program(bin, "bwrap", 0644);
  EXPECT_NE(why_not({bin}).find("it cannot be executed"), std::string::npos) << why_not({bin});
  fs::remove(bin + "/bwrap");
  fs::create_directory(bin + "/bwrap");
  EXPECT_NE(why_not({bin}).find("it is not a file"), std::string::npos) << why_not({bin});
  fs::remove(bin + "/bwrap");
  fs::create_symlink("bwrap", bin + "/bwrap");
  EXPECT_NE(why_not({bin}).find("too many symlinks"), std::string::npos) << why_not({bin});
}

TEST_F(FindBubblewrap, DoesNotSearchPATH) {
  const auto planted = directory("planted");
  program(planted, "bwrap");
  const char* path = ::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  ASSERT_EQ(::setenv("PATH", planted.c_str(), 1), 0);
  const auto& places = system_directories();
  EXPECT_EQ(std::find(places.begin(), places.end(), planted), places.end());
  auto found = find_bubblewrap(places, {0});
  ::setenv("PATH", before.c_str(), 1);
  if (found) {
    EXPECT_NE(found->path, planted + "/bwrap");
  }
}

}  // namespace
}  // namespace pinfold::backend::on_linux
