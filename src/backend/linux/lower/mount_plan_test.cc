// mount_plan_test.cc: the order and the kind of mount operations for small trees.
#include "backend/linux/lower/mount_plan.h"

#include <gtest/gtest.h>
#include <linux/mount.h>

#include <algorithm>

namespace pinfold::backend::on_linux {
namespace {

using child::Op;
using child::OpKind;
using child::TargetLocation;

class MountPlanTest : public ::testing::Test {
 protected:
  std::vector<Op> build() { return std::move(view_).build(); }
  static const Op* find(const std::vector<Op>& ops, OpKind kind, const std::string& target) {
    auto found =
        std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return op.kind == kind && target == op.target; });
    return found == ops.end() ? nullptr : &*found;
  }
  std::deque<std::string> text_;
  MountPlanBuilder view_{text_};
};

TEST_F(MountPlanTest, MakesTheDirectoriesAboveAMountPointInTheSkeleton) {
  view_.show("/home/u/ws", "/home/u/ws", EntryKind::kDirectory, 0, 0);
  auto ops = build();
  ASSERT_EQ(ops.size(), 4U);
  EXPECT_STREQ(ops[0].target, "home");
  EXPECT_STREQ(ops[2].target, "home/u/ws");
  EXPECT_EQ(ops[2].kind, OpKind::kMakeDirectory);
  EXPECT_EQ(ops[3].kind, OpKind::kBind);
  EXPECT_EQ(ops[3].location, TargetLocation::kSkeleton);
}

TEST_F(MountPlanTest, MountsParentsFirstAndChecksShownPaths) {
  view_.show("/a/b", "/a/b", EntryKind::kDirectory, 0, 0);
  view_.show("/a", "/a", EntryKind::kDirectory, 0, 0);
  auto ops = build();
  ASSERT_EQ(ops.size(), 3U);
  EXPECT_STREQ(ops[1].target, "a");
  EXPECT_STREQ(ops[2].target, "a/b");
  EXPECT_EQ(ops[2].location, TargetLocation::kShown);
}

TEST_F(MountPlanTest, MasksOnlyVisiblePaths) {
  view_.show("/etc", "/etc", EntryKind::kDirectory, 0, 0);
  view_.hide("/etc/shadow", EntryKind::kFile);
  view_.hide("/root", EntryKind::kDirectory);
  auto ops = build();
  EXPECT_NE(find(ops, OpKind::kMaskFile, "etc/shadow"), nullptr);
  EXPECT_EQ(find(ops, OpKind::kMaskDirectory, "root"), nullptr);
}

TEST_F(MountPlanTest, AGeneratedFileCoversAShownOne) {
  view_.show("/etc", "/etc", EntryKind::kDirectory, 0, 0);
  view_.make_file("/etc/resolv.conf", "nameserver 127.0.0.53\n");
  view_.make_file("/run/resolv.conf", "x");
  auto ops = build();
  const Op* cover = find(ops, OpKind::kCoverFile, "etc/resolv.conf");
  ASSERT_NE(cover, nullptr);
  EXPECT_EQ(cover->location, TargetLocation::kShown);
  EXPECT_EQ(std::string(cover->text, cover->length), "nameserver 127.0.0.53\n");
  EXPECT_NE(find(ops, OpKind::kMakeFile, "run/resolv.conf"), nullptr) << "nothing is shown there to be covered";
}

TEST_F(MountPlanTest, AGeneratedFileCoversOneOfThePrivateProc) {
  view_.proc("/proc", 0);
  view_.make_file("/proc/sys/kernel/random/boot_id", "x\n");
  const auto ops = build();
  const Op* cover = find(ops, OpKind::kCoverFile, "proc/sys/kernel/random/boot_id");
  ASSERT_NE(cover, nullptr);
  EXPECT_EQ(cover->location, child::TargetLocation::kShown);
  EXPECT_EQ(find(ops, OpKind::kMakeDirectory, "proc/sys"), nullptr) << "nothing can be made in a procfs";
}

TEST_F(MountPlanTest, AHiddenDirectoryWithShownEntriesIsASealedTmpfs) {
  view_.show("/home/u", "/home/u", EntryKind::kDirectory, 0, 0);
  view_.hide("/home/u/.config", EntryKind::kDirectory);
  view_.show("/home/u/.config/git", "/home/u/.config/git", EntryKind::kDirectory, 0, 0);
  auto ops = build();
  EXPECT_NE(find(ops, OpKind::kOwnDirectory, "home/u/.config"), nullptr);
  EXPECT_NE(find(ops, OpKind::kMakeDirectory, "home/u/.config/git"), nullptr);
  EXPECT_EQ(ops.back().kind, OpKind::kSealDirectory);
}

TEST_F(MountPlanTest, FreezesBelowAPinnedParentWithItsAttributes) {
  view_.show("/ws", "/ws", EntryKind::kDirectory, MOUNT_ATTR_NODEV, 0);
  view_.freeze("/ws/.git/hooks", EntryKind::kDirectory);
  view_.pin("/ws/.git");
  auto ops = build();
  const Op* pin = find(ops, OpKind::kBind, "ws/.git");
  const Op* hooks = find(ops, OpKind::kBind, "ws/.git/hooks");
  ASSERT_NE(pin, nullptr);
  ASSERT_NE(hooks, nullptr);
  EXPECT_LT(pin, hooks);
  EXPECT_EQ(pin->attributes, std::uint64_t{MOUNT_ATTR_NODEV});
  EXPECT_EQ(hooks->attributes, std::uint64_t{MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY});
  EXPECT_STREQ(hooks->source, "/ws/.git/hooks");
}

TEST_F(MountPlanTest, FreezesEachPathOnce) {
  view_.show("/ws", "/ws", EntryKind::kDirectory, 0, 0);
  view_.freeze("/ws/a", EntryKind::kDirectory);
  view_.pin("/ws/a");
  view_.pin("/ws/a/b");
  view_.freeze("/ws/a/b/c", EntryKind::kFile);
  auto ops = build();
  EXPECT_EQ(find(ops, OpKind::kBind, "ws/a/b"), nullptr);
  ASSERT_NE(find(ops, OpKind::kBind, "ws/a"), nullptr);
  for (const Op& op : ops) {
    if (std::string(op.target).starts_with("ws/a/")) {
      EXPECT_NE(op.attributes & MOUNT_ATTR_RDONLY, 0U) << op.target;
    }
  }
  const auto last =
      std::find_if(ops.rbegin(), ops.rend(), [](const Op& op) { return std::string(op.target) == "ws/a"; });
  EXPECT_NE(last->attributes & MOUNT_ATTR_RDONLY, 0U);
}

TEST_F(MountPlanTest, MountsNothingBelowAMask) {
  view_.show("/ws", "/ws", EntryKind::kDirectory, 0, 0);
  view_.hide("/ws/secret", EntryKind::kDirectory);
  view_.freeze("/ws/secret/.vscode", EntryKind::kDirectory);
  view_.hide("/ws/secret/.env", EntryKind::kFile);
  EXPECT_EQ(build().size(), 3U);  // directory, bind, mask
}

TEST_F(MountPlanTest, ShowingTheRootReplacesTheSkeleton) {
  view_.show("/", "/", EntryKind::kDirectory, 0, 0);
  view_.own("/dev");
  view_.make_link("/dev/fd", "/proc/self/fd");
  view_.proc("/proc", 0);
  auto ops = build();
  EXPECT_EQ(ops.front().kind, OpKind::kBindRoot);
  EXPECT_NE(find(ops, OpKind::kOwnDirectory, "dev"), nullptr);
  const Op* link = find(ops, OpKind::kMakeLink, "dev/fd");
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(link->location, TargetLocation::kShown);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
