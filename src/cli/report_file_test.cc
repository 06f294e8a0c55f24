// report_file_test.cc: the report's file on a real file system.
#include "cli/report_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <dirent.h>
#include <gtest/gtest.h>

namespace pinfold::cli {
namespace {

class ReportFileTest : public ::testing::Test {
 protected:
  ReportFileTest() {
    char name[] = "/tmp/pinfold-report-test-XXXXXX";
    if (::mkdtemp(name) != nullptr) directory_ = name;
  }
  ~ReportFileTest() override {
    for (const std::string& name : list()) ::unlink((directory_ + "/" + name).c_str());
    ::rmdir(directory_.c_str());
  }
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    DIR* dir = ::opendir(directory_.c_str());
    while (const dirent* entry = ::readdir(dir))
      if (std::string(entry->d_name) != "." && std::string(entry->d_name) != "..") names.emplace_back(entry->d_name);
    ::closedir(dir);
    return names;
  }
  static std::string read(const std::string& path) {
    std::string text(100, '\0');
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t got = ::read(fd, text.data(), text.size());
    ::close(fd);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }
  std::string directory_;
};

TEST_F(ReportFileTest, IsWrittenAtomicallyAtTheEnd) {
  const std::string path = directory_ + "/r.json";
  auto file = ReportFile::open(path);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_TRUE(list().empty());  // nothing that the command could see or fill
  ASSERT_TRUE(file->write("{}\n"));
  EXPECT_EQ(list(), (std::vector<std::string>{"r.json"}));
  EXPECT_EQ(read(path), "{}\n");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST_F(ReportFileTest, ReplacesASymlinkInsteadOfFollowingIt) {
  const std::string path = directory_ + "/r.json";
  const std::string target = directory_ + "/target";
  ASSERT_EQ(::symlink(target.c_str(), path.c_str()), 0);
  auto file = ReportFile::open(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("x"));
  EXPECT_EQ(list(), (std::vector<std::string>{"r.json"}));
}

TEST_F(ReportFileTest, FailsWithTheReportsPathIfTheDirectoryWasMoved) {
  ASSERT_EQ(::mkdir((directory_ + "/out").c_str(), 0755), 0);
  auto file = ReportFile::open(directory_ + "/out/r.json");
  ASSERT_TRUE(file);
  const std::string moved = directory_ + "/moved";
  ASSERT_EQ(::rename((directory_ + "/out").c_str(), moved.c_str()), 0);
  const auto written = file->write("x");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find(directory_ + "/out was moved or removed"), std::string::npos);
  EXPECT_NE(written.error().text().find(moved + "/r.json"), std::string::npos) << written.error().text();
  EXPECT_EQ(read(moved + "/r.json"), "x");
  ::unlink((moved + "/r.json").c_str());
  ::rmdir(moved.c_str());
}

TEST_F(ReportFileTest, FailsIfADirectoryAboveIsAFileNow) {
  ASSERT_EQ(::mkdir((directory_ + "/top").c_str(), 0755), 0);
  ASSERT_EQ(::mkdir((directory_ + "/top/out").c_str(), 0755), 0);
  auto file = ReportFile::open(directory_ + "/top/out/r.json");
  ASSERT_TRUE(file);
  const std::string moved = directory_ + "/moved";
  ASSERT_EQ(::rename((directory_ + "/top").c_str(), moved.c_str()), 0);
  ::close(::open((directory_ + "/top").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  const auto written = file->write("x");  // stat: ENOTDIR
  ASSERT_FALSE(written);
  EXPECT_EQ(read(moved + "/out/r.json"), "x");
  ::unlink((moved + "/out/r.json").c_str());
  ::rmdir((moved + "/out").c_str());
  ::rmdir(moved.c_str());
}

TEST_F(ReportFileTest, FailsIfItsDirectoryCannotBeCompared) {
  ASSERT_EQ(::mkdir((directory_ + "/out").c_str(), 0755), 0);
  auto file = ReportFile::open(directory_ + "/out/r.json");
  ASSERT_TRUE(file);
  const std::string moved = directory_ + "/moved";
  ASSERT_EQ(::rename((directory_ + "/out").c_str(), moved.c_str()), 0);
  ASSERT_EQ(::symlink("out", (directory_ + "/out").c_str()), 0);
  const auto written = file->write("x");  // stat: ELOOP
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find("stat("), std::string::npos) << written.error().text();
  EXPECT_EQ(read(moved + "/r.json"), "");
  ::rmdir(moved.c_str());
}

TEST_F(ReportFileTest, RefusesAReplacedDirectory) {
  auto file = ReportFile::open(directory_ + "/r.json");
  ASSERT_TRUE(file);
  const std::string moved = directory_ + "-moved";
  ASSERT_EQ(::rename(directory_.c_str(), moved.c_str()), 0);
  ASSERT_EQ(::mkdir(directory_.c_str(), 0755), 0);
  const auto written = file->write("x");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find("was replaced while the command ran"), std::string::npos);
  EXPECT_TRUE(list().empty());
  ASSERT_EQ(::rmdir(directory_.c_str()), 0);
  ASSERT_EQ(::rename(moved.c_str(), directory_.c_str()), 0);
  EXPECT_TRUE(list().empty());
}

TEST_F(ReportFileTest, DoesNotReplaceDevicesOrDirectories) {
  auto null = ReportFile::open("/dev/null");
  ASSERT_TRUE(null);
  EXPECT_TRUE(null->write("x"));
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_FALSE(ReportFile::open(directory_));
  EXPECT_FALSE(ReportFile::open("/"));
}

TEST_F(ReportFileTest, WritesToAnOpenDescriptor) {
  const std::string path = directory_ + "/r.json";
  const int open = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_GE(open, 0);
  for (const char* name : {"/dev/fd/", "/proc/self/fd/"}) {
    auto file = ReportFile::open(name + std::to_string(open));
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_TRUE(file->write("x"));
  }
  EXPECT_EQ(read(path), "xx");
  ::close(open);
  const int reading = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(ReportFile::open("/dev/fd/" + std::to_string(reading)));
  ::close(reading);
  EXPECT_FALSE(ReportFile::open("/dev/fd/" + std::to_string(reading)));
}

TEST_F(ReportFileTest, FailsBeforeTheRunWhenItCannotBeWritten) {
  const auto missing = ReportFile::open(directory_ + "/no/such/r.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::kInvalid);
  EXPECT_FALSE(missing.error().fix().empty());
}

}  // namespace
}  // namespace pinfold::cli
