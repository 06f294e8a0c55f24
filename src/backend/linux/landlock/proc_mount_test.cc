// proc_mount_test.cc: hidepid is found in the line of the mount that is asked about, and in no other.
#include "backend/linux/landlock/proc_mount.h"

#include <gtest/gtest.h>

namespace pinfold::backend::on_linux {
namespace {

constexpr const char* kTable =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "24 22 0:22 / /proc rw,nosuid - proc proc rw\n"
    "240 22 0:23 / /a/hidepid=2 rw - proc proc rw\n"
    "25 22 0:24 / /proc rw,nosuid,nodev,noexec - proc proc rw,gid=4,hidepid=invisible\n"
    "26 22 0:25 / /proc rw - proc proc rw,hidepid=1";

TEST(ProcMount, HidepidIsAnOptionOfTheFileSystem) {
  EXPECT_TRUE(has_hidepid(kTable, 25));
  EXPECT_TRUE(has_hidepid(kTable, 26));
  EXPECT_FALSE(has_hidepid(kTable, 24));
  EXPECT_FALSE(has_hidepid(kTable, 240));
  EXPECT_FALSE(has_hidepid(kTable, 2));
  EXPECT_FALSE(has_hidepid("", 2));
}

TEST(ProcMount, ADirectoryThatIsNoProcfsIsRefused) {
  EXPECT_NE(ProcMount::at("/").why_unusable(), "");
  EXPECT_NE(ProcMount::at("/nonexistent").why_unusable(), "");
  EXPECT_EQ(ProcMount::at("/proc").why_unusable(), "");
}

}  // namespace
}  // namespace pinfold::backend::on_linux
