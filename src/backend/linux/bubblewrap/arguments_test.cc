// arguments_test.cc: the presets' mounts as arguments of bubblewrap, and the operations that no preset has.
#include "backend/linux/bubblewrap/arguments.h"

#include <gtest/gtest.h>
#include <linux/mount.h>

#include "backend/linux/lower/mount_plan.h"
#include "plan/plan_fixture.h"

namespace pinfold::backend::on_linux {
namespace {

// One option with its values on each line.
std::string lines(const BubblewrapArguments& arguments) {
  std::string out;
  for (const std::string& word : arguments.values) {
    if (!out.empty()) out += word.starts_with("--") ? "\n" : " ";
    out += word;
  }
  return out + "\n";
}

class ArgumentsTest : public ::testing::Test, protected plan::PlanFixture {
 protected:
  // A host that exists only in the test gets no directories on this machine.
  static Plan without_kept_directories(Plan plan) {
    std::erase_if(plan.steps, [](const Step& step) {
      const auto* show = std::get_if<ShowPath>(&step.body);
      return show != nullptr && show->ensure == Ensure::kCreate;
    });
    return plan;
  }
  std::string preset(std::string_view name) {
    auto lowered =
        lower(without_kept_directories(plan(builder(name))), LandlockSupport{}, SharedMemory::kAllowed, Growth::kFixed);
    EXPECT_TRUE(lowered) << lowered.error().text();
    auto arguments = bubblewrap_arguments(**lowered, Privilege::kNone);
    EXPECT_TRUE(arguments) << arguments.error().text();
    return lines(*arguments);
  }
  // The arguments for the mount operations, without those for namespaces.
  std::string of_view() {
    lowered_.ops = std::move(view_).build();
    lowered_.blueprint.root_is_shown = view_.root_is_shown();
    made_ = *bubblewrap_arguments(lowered_, Privilege::kNone);
    const std::string all = lines(made_);
    const std::string_view last = "--chdir /\n";
    return all.substr(all.find(last) + last.size());
  }

  LoweredPlan lowered_;
  MountPlanBuilder view_{lowered_.text};
  BubblewrapArguments made_;
};

constexpr std::uint64_t kClosed = MOUNT_ATTR_RDONLY;

TEST_F(ArgumentsTest, ModerateIsGolden) {
  EXPECT_EQ(preset("moderate"), R"(--unshare-user-try
--unshare-pid
--unshare-ipc
--unshare-uts
--unshare-cgroup-try
--unshare-net
--cap-drop ALL
--as-pid-1
--chdir /
--symlink usr/bin /bin
--dev /dev
--dir /etc
--ro-bind /etc /etc
--symlink usr/lib /lib
--symlink usr/lib64 /lib64
--dir /opt
--ro-bind /opt /opt
--dir /proc
--proc /proc
--symlink usr/sbin /sbin
--dir /sys
--ro-bind /sys /sys
--dir /tmp
--perms 1777
--size 2147483648
--tmpfs /tmp
--dir /usr
--ro-bind /usr /usr
--dir /dev/pts
--dir /dev/shm
--perms 1777
--size 2147483648
--tmpfs /dev/shm
--dir /home
--dir /home/ada
--dir /var
--symlink /tmp /var/tmp
--symlink .cache/bundle /home/ada/.bundle
--symlink .cache/cargo /home/ada/.cargo
--symlink .cache/gem /home/ada/.gem
--symlink .cache/gradle /home/ada/.gradle
--symlink .cache/ivy2 /home/ada/.ivy2
--symlink .cache/java /home/ada/.java
--symlink .cache/m2 /home/ada/.m2
--symlink .cache/node-gyp /home/ada/.node-gyp
--symlink .cache/npm /home/ada/.npm
--symlink .cache/nuget /home/ada/.nuget
--symlink .cache/pnpm-store /home/ada/.pnpm-store
--symlink .cache/pub /home/ada/.pub-cache
--symlink .cache/sbt /home/ada/.sbt
--symlink .cache/yarn-berry /home/ada/.yarn
--dir /home/ada/ws
--bind /home/ada/ws /home/ada/ws
--dir /home/ada/.local
--symlink ../.cache/state /home/ada/.local/state
--remount-ro /dev
--remount-ro /
)");
}

TEST_F(ArgumentsTest, StrictIsGolden) {
  EXPECT_EQ(preset("strict"), R"(--unshare-user-try
--unshare-pid
--unshare-ipc
--unshare-uts
--unshare-cgroup-try
--unshare-net
--cap-drop ALL
--as-pid-1
--chdir /
--symlink usr/bin /bin
--dev /dev
--dir /etc
--ro-bind /etc /etc
--symlink usr/lib /lib
--symlink usr/lib64 /lib64
--dir /proc
--proc /proc
--symlink usr/sbin /sbin
--dir /tmp
--perms 1777
--size 536870912
--tmpfs /tmp
--dir /usr
--ro-bind /usr /usr
--dir /dev/pts
--dir /dev/shm
--perms 1777
--size 536870912
--tmpfs /dev/shm
--dir /home
--dir /home/ada
--dir /var
--symlink /tmp /var/tmp
--symlink .cache/bundle /home/ada/.bundle
--symlink .cache/cargo /home/ada/.cargo
--symlink .cache/gem /home/ada/.gem
--symlink .cache/gradle /home/ada/.gradle
--symlink .cache/ivy2 /home/ada/.ivy2
--symlink .cache/java /home/ada/.java
--symlink .cache/m2 /home/ada/.m2
--symlink .cache/node-gyp /home/ada/.node-gyp
--symlink .cache/npm /home/ada/.npm
--symlink .cache/nuget /home/ada/.nuget
--symlink .cache/pnpm-store /home/ada/.pnpm-store
--symlink .cache/pub /home/ada/.pub-cache
--symlink .cache/sbt /home/ada/.sbt
--symlink .cache/yarn-berry /home/ada/.yarn
--dir /home/ada/ws
--ro-bind /home/ada/ws /home/ada/ws
--dir /home/ada/.local
--symlink ../.cache/state /home/ada/.local/state
--remount-ro /dev
--remount-ro /
)");
}

TEST_F(ArgumentsTest, TheHostsNetworkIsNotUnshared) {
  lowered_.private_network = false;
  EXPECT_EQ(lines(*bubblewrap_arguments(lowered_, Privilege::kNone)),
            "--unshare-user-try\n--unshare-pid\n--unshare-ipc\n--unshare-uts\n--unshare-cgroup-try\n--cap-drop "
            "ALL\n--as-pid-1\n"
            "--chdir /\n--remount-ro /\n");
}

TEST_F(ArgumentsTest, AShownRootIsNotSealedButItsDevicesAre) {
  view_.show("/", "/", EntryKind::kDirectory, kClosed, 0);
  view_.own("/dev");
  view_.device("/dev/null", 0);
  view_.make_link("/dev/fd", "/proc/self/fd");
  view_.terminals("/dev/pts", 0);
  view_.proc("/proc", 0);
  EXPECT_EQ(of_view(), "--ro-bind / /\n--dev /dev\n--proc /proc\n--dir /dev/pts\n--remount-ro /dev\n");
}

TEST_F(ArgumentsTest, MasksAreUnreadableAndClosed) {
  view_.show("/home/u", "/home/u", EntryKind::kDirectory, 0, 0);
  view_.hide("/home/u/.ssh", EntryKind::kDirectory);
  view_.hide("/home/u/.netrc", EntryKind::kFile);
  view_.hide("/home/u/.pgpass", EntryKind::kFile);
  view_.make_file("/etc/name", "text");
  EXPECT_EQ(of_view(),
            "--dir /etc\n--perms 0444\n--file 7 /etc/name\n--dir /home\n--dir /home/u\n--bind-fd 8 /home/u\n"
            "--perms 0000\n--ro-bind-data 9 /home/u/.netrc\n--perms 0000\n--ro-bind-data 10 /home/u/.pgpass\n"
            "--perms 0000\n--tmpfs /home/u/.ssh\n--remount-ro /home/u/.ssh\n--remount-ro /\n");
  EXPECT_EQ(made_.files, std::vector<std::string>{"text"});
  EXPECT_EQ(made_.empty_files, 2U);
}

// Otherwise bubblewrap would make the second one's mount point in whichever directory has the first one's name by then.
TEST_F(ArgumentsTest, ADirectoryWithMountsBelowIsNamedByDescriptor) {
  view_.show("/ws", "/ws", EntryKind::kDirectory, 0, 0);
  view_.pin("/ws/d");
  view_.freeze("/ws/d/name", EntryKind::kFile);
  view_.show("/ws-beside", "/ws-beside", EntryKind::kDirectory, kClosed, 0);
  EXPECT_EQ(of_view(),
            "--dir /ws\n--bind-fd 7 /ws\n--dir /ws-beside\n--ro-bind /ws-beside /ws-beside\n--bind-fd 8 /ws/d\n"
            "--ro-bind /ws/d/name /ws/d/name\n--remount-ro /\n");
  ASSERT_EQ(made_.sources.size(), 2U);
  EXPECT_STREQ(lowered_.ops[made_.sources[0]].source, "/ws");
  EXPECT_STREQ(lowered_.ops[made_.sources[1]].source, "/ws/d");
}

TEST_F(ArgumentsTest, AHiddenDirectoryWithShownEntriesIsSealedLast) {
  view_.show("/home/u", "/home/u", EntryKind::kDirectory, 0, 0);
  view_.hide("/home/u/.config", EntryKind::kDirectory);
  view_.show("/home/u/.config/git", "/home/u/.config/git", EntryKind::kDirectory, kClosed, 0);
  const std::string words = of_view();
  EXPECT_NE(words.find("--perms 0755\n--size 4194304\n--tmpfs /home/u/.config\n"), std::string::npos) << words;
  EXPECT_TRUE(
      words.ends_with("--ro-bind /home/u/.config/git /home/u/.config/git\n--remount-ro /home/u/.config\n"
                      "--remount-ro /\n"))
      << words;
}

TEST_F(ArgumentsTest, TemporaryDirectoriesShareOneSizeLimit) {
  view_.tmp("/tmp", "8388608", 0, 0);
  view_.tmp("/var/tmp", "8388608", 0, 0);
  EXPECT_EQ(of_view(),
            "--dir /tmp\n--perms 1777\n--size 4194304\n--tmpfs /tmp\n--dir /var\n--dir /var/tmp\n--perms 1777\n"
            "--size 4194304\n--tmpfs /var/tmp\n--remount-ro /\n");
}

TEST_F(ArgumentsTest, SetuidBubblewrapGetsNoUserNamespaceAndNoSizes) {
  view_.tmp("/tmp", "8388608", 0, 0);
  lowered_.ops = std::move(view_).build();
  const std::string words = lines(*bubblewrap_arguments(lowered_, Privilege::kSetuid));
  EXPECT_EQ(words.find("--size"), std::string::npos) << words;
  EXPECT_EQ(words.find("--unshare-user"), std::string::npos) << words;
  EXPECT_NE(words.find("--perms 1777\n--tmpfs /tmp\n"), std::string::npos) << words;
}

TEST_F(ArgumentsTest, PercentOfMemoryBecomesBytes) {
  view_.tmp("/cache", "25%", 0, 0);
  const std::string words = of_view();
  EXPECT_EQ(words.find('%'), std::string::npos) << words;
  EXPECT_NE(words.find("--size "), std::string::npos) << words;
}

TEST_F(ArgumentsTest, AnyNameIsOneArgument) {
  const std::string odd = "/ws/--bind\n/ \xff";
  view_.show(odd, odd, EntryKind::kDirectory, 0, 0);
  static_cast<void>(of_view());
  EXPECT_EQ(std::count(made_.values.begin(), made_.values.end(), odd), 3);  // --dir, and twice for --bind
}

TEST_F(ArgumentsTest, TooManyArgumentsForBubblewrapAreAnError) {
  for (int i = 0; i < 4000; ++i) view_.hide("/home/u/" + std::to_string(i), EntryKind::kFile);
  view_.show("/home/u", "/home/u", EntryKind::kDirectory, 0, 0);
  lowered_.ops = std::move(view_).build();
  auto made = bubblewrap_arguments(lowered_, Privilege::kNone);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), ErrorKind::kUnavailable);
}

TEST_F(ArgumentsTest, ARuleWithoutAMountIsAnError) {
  child::Op op{};
  op.kind = child::OpKind::kRule;
  op.source = op.target = "x";
  lowered_.ops = {op};
  EXPECT_FALSE(bubblewrap_arguments(lowered_, Privilege::kNone));
}

}  // namespace
}  // namespace pinfold::backend::on_linux
