// open_how_test.cc: names are found while the host renames things. Not here: where they may lead (the kernel).
#include "sys/open_how.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

namespace pinfold::sys {
namespace {

TEST(OpenHowTest, LookupsSucceedDuringManyRenames) {
  char base[] = "/tmp/pinfold-open-XXXXXX";
  ASSERT_NE(::mkdtemp(base), nullptr);
  const std::string top = base;
  for (const char* name : {"/a", "/b", "/storm"}) ASSERT_EQ(::mkdir((top + name).c_str(), 0700), 0);
  ASSERT_EQ(::symlink("/b", (top + "/a/link").c_str()), 0);
  std::atomic<bool> over = false;
  std::thread storm([&] {
    while (!over) {
      ::rename((top + "/storm").c_str(), (top + "/storm2").c_str());
      ::rename((top + "/storm2").c_str(), (top + "/storm").c_str());
    }
  });
  const Fd root = Fd::adopt(::open(base, O_PATH | O_DIRECTORY | O_CLOEXEC));
  int failed = 0;
  for (int i = 0; i < 20'000; ++i)
    for (const char* name : {"a/../b/../a", "a/link/../b"})
      if (!open_under(root.raw(), name, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS).is_open()) ++failed;
  over = true;
  storm.join();
  EXPECT_EQ(failed, 0);
  std::filesystem::remove_all(top);
}

TEST(OpenHowTest, DoesNotRetryENOENT) {
  EXPECT_FALSE(open_under(AT_FDCWD, "/no/such/place", O_PATH, 0).is_open());
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace pinfold::sys
