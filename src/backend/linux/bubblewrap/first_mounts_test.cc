// first_mounts_test.cc: which mounts bubblewrap keeps.
#include "backend/linux/bubblewrap/first_mounts.h"

#include <gtest/gtest.h>
#include <linux/mount.h>

#include "backend/linux/lower/lower.h"
#include "backend/linux/lower/mount_plan.h"

namespace pinfold::backend::on_linux {
namespace {

class FirstMounts : public ::testing::Test {
 protected:
  // The targets that are left to init.
  std::vector<std::string> left() {
    lowered_.ops = std::move(view_).build();
    leave_to_init(lowered_.ops);
    std::vector<std::string> out;
    for (const child::Op& op : lowered_.ops)
      if (op.by_descriptor) out.emplace_back(op.target);
    return out;
  }
  void show(const std::string& host, const std::string& at, std::uint64_t attributes) {
    view_.show(host, at, EntryKind::kDirectory, attributes, 0);
  }

  LoweredPlan lowered_;
  MountPlanBuilder view_{lowered_.text};
};

using Places = std::vector<std::string>;

TEST_F(FirstMounts, EveryNameBelowAShownDirectory) {
  show("/ws", "/ws", MOUNT_ATTR_NOSUID);
  view_.pin("/ws/d");
  view_.freeze("/ws/d/kept", EntryKind::kFile);
  view_.hide("/ws/.env", EntryKind::kFile);
  view_.hide("/ws/secrets", EntryKind::kDirectory);
  EXPECT_EQ(left(), (Places{"ws/.env", "ws/d", "ws/secrets", "ws/d/kept"}));
}

TEST_F(FirstMounts, IgnoresProc) {
  view_.proc("/proc", 0);
  show("/proc/sys", "/proc/sys", MOUNT_ATTR_RDONLY);
  view_.make_file("/proc/sys/kernel/random/boot_id", "x");
  EXPECT_EQ(left(), Places{});
}

TEST_F(FirstMounts, IgnoresTheSandboxsOwnRoot) {
  show("/ws", "/ws", 0);
  view_.make_directory("/home/ada");
  view_.tmp("/tmp", "1m", 0, 0);
  EXPECT_EQ(left(), Places{});
}

TEST_F(FirstMounts, BubblewrapKeepsWiderMountsAndParentsOfItsOwn) {
  show("/ws", "/ws", MOUNT_ATTR_RDONLY);
  show("/ws/out", "/ws/out", 0);
  view_.pin("/ws/out/d");
  view_.freeze("/ws/out/d/kept", EntryKind::kFile);
  view_.pin("/ws/out/e");
  show("/elsewhere", "/ws/out/e/other", 0);
  EXPECT_EQ(left(), (Places{"ws/out/d", "ws/out/d/kept"}));
}

}  // namespace
}  // namespace pinfold::backend::on_linux
