// shows_test.cc: shown and hidden paths, links, kernel mounts.
// Not here: patterns (search_test.cc).
#include <gtest/gtest.h>

#include "plan/plan_fixture.h"

namespace pinfold::plan {
namespace {

class ShowsTest : public testing::Test, protected PlanFixture {};

TEST_F(ShowsTest, HidesOnlyPathsThatAreShown) {
  host.dir("/srv/a/b").dir("/srv/c");
  const Plan made = plan(std::move(
      builder().read("/srv/a", flag("--read")).hide("/srv/a/b", flag("--hide")).hide("/srv/c", flag("--hide"))));
  EXPECT_NE(at<HidePath>(made, "/srv/a/b"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/srv/c"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/home/ada"), nullptr);
}

TEST_F(ShowsTest, PathsThatTheKernelDeniesNeedNoMask) {
  EXPECT_EQ(at<HidePath>(plan(), "/etc/shadow"), nullptr);
  const Plan asked = plan(std::move(builder().hide("/etc/shadow", flag("--hide"))));
  EXPECT_NE(at<HidePath>(asked, "/etc/shadow"), nullptr) << "a user's own rule is never optimised away";
  host.uid(0);
  EXPECT_NE(at<HidePath>(plan(), "/etc/shadow"), nullptr) << "root reads everything";
  EXPECT_EQ(at<HidePath>(plan(), "/etc/shadow")->kind, EntryKind::kFile);
  EXPECT_EQ(at<HidePath>(plan(), "/etc/ssl/private")->kind, EntryKind::kDirectory);
}

TEST_F(ShowsTest, MakesLinksThatNoShownDirectoryContains) {
  host.dir("/data/nvm").link("/home/ada/.nvm", "/data/nvm").link("/usr/here", "/data/nvm");
  const Plan made = plan(std::move(builder().read("/usr/here", flag("--read"))));
  ASSERT_NE(at<MakeLink>(made, "/bin"), nullptr);
  EXPECT_EQ(at<MakeLink>(made, "/bin")->target, "usr/bin");
  EXPECT_EQ(at<ShowPath>(made, "/usr/bin"), nullptr) << "covered by /usr";
  EXPECT_NE(at<MakeLink>(made, "/home/ada/.nvm"), nullptr);
  EXPECT_NE(at<ShowPath>(made, "/data/nvm"), nullptr);
  EXPECT_EQ(at<MakeLink>(made, "/usr/here"), nullptr);
}

TEST_F(ShowsTest, APatternOutranksAnEqualRule) {
  host.file("/home/ada/ws/a/key.sec").dir("/home/ada/ws/a");
  const Plan made = plan(std::move(builder()
                                       .hide("/home/ada/ws/a", flag("--hide"))
                                       .write("/home/ada/ws/a/key.sec", flag("--write"))
                                       .hide("**/*.sec", flag("--hide"))));
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/ws/a/key.sec"), nullptr);
}

TEST_F(ShowsTest, NestedRules) {
  host.dir("/home/ada/ws/src/ro/rw").file("/srv/f").other("/run/sock", HostKind::kSocket);
  const Plan made = plan(std::move(builder()
                                       .read("src/ro", flag("--read"))
                                       .write("src/ro/rw", flag("--write"))
                                       .write("/srv/f", flag("--write"))
                                       .read("/run/sock", flag("--read"))));
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/ws/src/ro")->view, View::kReadExec);
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/ws/src/ro/rw")->view, View::kWriteExec);
  EXPECT_EQ(at<ShowPath>(made, "/srv/f")->kind, EntryKind::kFile);
  EXPECT_EQ(at<ShowPath>(made, "/run/sock")->kind, EntryKind::kFile);
  EXPECT_EQ(all<CleanGit>(made).size(), 2U) << "the workspace and src/ro/rw, not the file";
}

TEST_F(ShowsTest, AWorkspaceInsideAWritableDirectoryIsASeparateRoot) {
  const Plan made = plan(std::move(builder().write("/home/ada", flag("--write"))));
  EXPECT_NE(at<ShowPath>(made, "/home/ada"), nullptr);
  EXPECT_NE(at<ShowPath>(made, "/home/ada/ws"), nullptr);
  EXPECT_NE(name(made, "/home/ada/ws", ".vscode"), nullptr);
  EXPECT_EQ(at<MakeDirectory>(made, "/home/ada"), nullptr);
  EXPECT_EQ(at<ShowPath>(made, "/home/ada/.cache"), nullptr) << "the home is the host's";
}

TEST_F(ShowsTest, PrivateDirectoriesAreNotParents) {
  host.dir("/tmp/mine");
  const Plan made = plan(std::move(builder().read("/", flag("--read")).read("/tmp/mine", flag("--read"))));
  EXPECT_NE(at<ShowPath>(made, "/tmp/mine"), nullptr) << "/ is shown, but /tmp is private";
  EXPECT_NE(at<HidePath>(made, "/home/ada"), nullptr);
  EXPECT_NE(at<HidePath>(made, "/run"), nullptr);
}

TEST_F(ShowsTest, KernelMountsInsideShownPathsAreHidden) {
  host.dir("/srv/jail/proc").mount("/proc", "proc").mount("/srv/jail/proc", "proc").mount("/sys/fs/cgroup", "cgroup2");
  host.mount("/home/ada/ws/dev", "devtmpfs").mount("/data", "ext4").mount("/srv/jail/cg", "cgroup2");
  const Plan made = plan(std::move(builder().read("/srv", flag("--read"))));
  EXPECT_NE(at<HidePath>(made, "/srv/jail/proc"), nullptr);
  EXPECT_NE(at<HidePath>(made, "/srv/jail/cg"), nullptr);
  EXPECT_NE(at<HidePath>(made, "/home/ada/ws/dev"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/proc"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/sys/fs/cgroup"), nullptr);
  EXPECT_EQ(at<HidePath>(made, "/data"), nullptr);
}

TEST_F(ShowsTest, NamesWithNewlinesAndBrokenUtf8) {
  host.dir("/srv/a\nb\xff");
  const Plan made = plan(std::move(builder().read("/srv/a\nb\xff", flag("--read"))));
  ASSERT_NE(at<ShowPath>(made, "/srv/a\nb\xff"), nullptr);
  EXPECT_NE(describe(made).find("show          /srv/a\\nb\\xff read-exec  [--read]\n"), std::string::npos);
}

TEST_F(ShowsTest, FullNetworkShowsTheResolver) {
  host.file("/run/systemd/resolve/stub").link("/etc/resolv.conf", "../run/systemd/resolve/stub");
  const Plan made = plan(std::move(builder().allow(danger::HostNetwork("test"), flag("--net"))));
  EXPECT_NE(at<ShowPath>(made, "/run/systemd/resolve/stub"), nullptr);
  EXPECT_EQ(at<MakeLink>(made, "/etc/resolv.conf"), nullptr);
  EXPECT_EQ(at<ShowPath>(plan(), "/run/systemd/resolve/stub"), nullptr);
}

}  // namespace
}  // namespace pinfold::plan
