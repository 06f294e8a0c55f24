// remount_test.cc: attributes set mount by mount, in a mount namespace of the test's own.
// Invariant: every mount is made in a child process that leaves the host's mounts alone and ends with the test.
#include "backend/linux/child/remount.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

#include "backend/linux/child/kernel.h"
#include "backend/linux/child/scoped_fd.h"

namespace pinfold::backend::on_linux::child {
namespace {

constexpr unsigned long kAttributes = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;

void write_file(const char* path, const std::string& text) { std::ofstream(path) << text; }

bool mount_tmpfs(const std::string& at, unsigned long flags) {
  ::mkdir(at.c_str(), 0755);
  return ::mount("none", at.c_str(), "tmpfs", flags, nullptr) == 0;
}

unsigned long attributes_of(const std::string& path) {
  struct statfs now {};
  return ::statfs(path.c_str(), &now) == 0 ? static_cast<unsigned long>(now.f_flags) & kAttributes : ~0UL;
}

ScopedFd opened(const std::string& path) { return ScopedFd(::open(path.c_str(), O_PATH | O_CLOEXEC)); }

// Runs `body` on a tmpfs of its own. Returns 0, or the number of the check that failed.
int in_own_mounts(const std::function<int(const std::string& base)>& body) {
  std::string base = ::testing::TempDir() + "remount-" + std::to_string(::getpid());
  ::mkdir(base.c_str(), 0755);
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(100);
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", uid + " " + uid + " 1");
    write_file("/proc/self/gid_map", gid + " " + gid + " 1");
    if (::mount("none", base.c_str(), "tmpfs", 0, nullptr) != 0) ::_exit(101);
    ::_exit(body(base));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::rmdir(base.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

TEST(Remount, ChangesOneMountAndNotThoseBelow) {
  EXPECT_EQ(in_own_mounts([](const std::string& base) {
              if (!mount_tmpfs(base + "/top", MS_NOSUID) || !mount_tmpfs(base + "/top/below", 0)) return 1;
              if (!remount(opened(base + "/top").raw(), MOUNT_ATTR_RDONLY, Depth::kOneMount)) return 2;
              if (attributes_of(base + "/top") != (MS_RDONLY | MS_NOSUID)) return 3;
              return attributes_of(base + "/top/below") == 0 ? 0 : 4;
            }),
            0);
}

TEST(Remount, ChangesAllMountsBelowAndNoOther) {
  EXPECT_EQ(in_own_mounts([](const std::string& base) {
              const std::string odd = base + "/top/a b\tc\\d\ne";
              if (!mount_tmpfs(base + "/top", 0) || !mount_tmpfs(odd, MS_NOEXEC)) return 1;
              if (!mount_tmpfs(odd + "/deep", MS_NODEV) || !mount_tmpfs(base + "/topmost", 0)) return 2;
              write_file((base + "/top/file").c_str(), "");
              if (::mount((base + "/top/file").c_str(), (base + "/top/file").c_str(), nullptr, MS_BIND, nullptr) != 0)
                return 3;
              if (!remount(opened(base + "/top").raw(), MOUNT_ATTR_RDONLY, Depth::kWholeTree)) return 4;
              if (attributes_of(base + "/top") != MS_RDONLY) return 5;
              if (attributes_of(odd) != (MS_RDONLY | MS_NOEXEC)) return 6;
              if (attributes_of(odd + "/deep") != (MS_RDONLY | MS_NODEV)) return 7;
              if (attributes_of(base + "/top/file") != MS_RDONLY) return 8;
              return attributes_of(base) == 0 && attributes_of(base + "/topmost") == 0 ? 0 : 9;
            }),
            0);
}

// As open_tree does for a bind: the same paths twice, and only the copy changes.
TEST(Remount, DistinguishesACopyMountedOverTheOriginal) {
  EXPECT_EQ(in_own_mounts([](const std::string& base) {
              if (!mount_tmpfs(base + "/top", 0) || !mount_tmpfs(base + "/top/below", 0)) return 1;
              ScopedFd original = opened(base + "/top");
              ScopedFd copy(kernel::open_tree(original.raw(), "", AT_EMPTY_PATH | OPEN_TREE_CLONE | AT_RECURSIVE));
              if (copy.bad()) return 2;
              if (kernel::move_mount(copy.raw(), "", AT_FDCWD, (base + "/top").c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0)
                return 3;
              if (!make_private(copy.raw(), Depth::kWholeTree)) return 4;
              if (!remount(copy.raw(), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, Depth::kWholeTree)) return 5;
              if (attributes_of(base + "/top/below") != (MS_RDONLY | MS_NOEXEC)) return 6;
              struct statfs below {};
              ScopedFd untouched(::openat(original.raw(), "below", O_PATH | O_CLOEXEC));
              if (::fstatfs(untouched.raw(), &below) != 0) return 7;
              return (static_cast<unsigned long>(below.f_flags) & kAttributes) == 0 ? 0 : 8;
            }),
            0);
}

TEST(Remount, DoesNotChangeCoveredMounts) {
  EXPECT_EQ(in_own_mounts([](const std::string& base) {
              if (!mount_tmpfs(base + "/top", 0) || !mount_tmpfs(base + "/top/at", 0)) return 1;
              ScopedFd under = opened(base + "/top/at");
              if (!mount_tmpfs(base + "/top/at/in", 0) || !mount_tmpfs(base + "/top/at", 0)) return 2;
              if (!mount_tmpfs(base + "/top/at/in", 0)) return 3;
              if (!remount(opened(base + "/top").raw(), MOUNT_ATTR_NODEV, Depth::kWholeTree)) return 4;
              if (attributes_of(base + "/top/at") != MS_NODEV) return 5;
              if (attributes_of(base + "/top/at/in") != MS_NODEV) return 6;
              struct statfs hidden {};
              if (::fstatfs(under.raw(), &hidden) != 0) return 7;
              return (static_cast<unsigned long>(hidden.f_flags) & kAttributes) == 0 ? 0 : 8;
            }),
            0);
}

// The covering mount hides the other: remount must fail, not skip it.
TEST(Remount, AMountOverTheRootIsAFailure) {
  EXPECT_EQ(in_own_mounts([](const std::string& base) {
              if (!mount_tmpfs(base + "/top", 0)) return 1;
              ScopedFd top = opened(base + "/top");
              if (!mount_tmpfs(base + "/top", 0)) return 2;
              return remount(top.raw(), MOUNT_ATTR_NODEV, Depth::kWholeTree) ? 3 : 0;
            }),
            0);
}

TEST(Remount, RefusesUnknownAttributes) {
  EXPECT_FALSE(remount(-1, MOUNT_ATTR_NOATIME, Depth::kOneMount));
  EXPECT_EQ(errno, EINVAL);
}

}  // namespace
}  // namespace pinfold::backend::on_linux::child
