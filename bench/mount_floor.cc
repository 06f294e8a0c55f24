// mount_floor.cc: the kernel's own time to mount many directories in a new mount namespace, and to unmount them.
// Invariant: for each path the three calls that any sandbox needs (clone the mount, restrict it, attach it) and no
// more: no policy, no Landlock, no searching. Not here: clocks (spawn_timer.cc), budgets (bench/run).
//
//   mount_floor FILE     FILE names one existing directory per line; they are shown read-only below a tmpfs, and it
//   ends
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

constexpr int kMoveFromDescriptor = 0x4;  // MOVE_MOUNT_F_EMPTY_PATH

void check(long result, const char* what) {
  if (result >= 0) return;
  std::perror(what);
  std::exit(1);
}

void write_map(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  check(fd, path);
  check(::write(fd, text.data(), text.size()), path);
  ::close(fd);
}

// Parents are made once: most paths follow one with the same parent.
void make_directories(std::string path) {
  if (::mkdir(path.c_str(), 0755) == 0) return;
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    path[slash] = '\0';
    ::mkdir(path.c_str(), 0755);
    path[slash] = '/';
  }
  ::mkdir(path.c_str(), 0755);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mount_floor FILE\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  check(::unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare");
  write_map("/proc/self/setgroups", "deny");
  write_map("/proc/self/uid_map", uid + " " + uid + " 1");
  write_map("/proc/self/gid_map", gid + " " + gid + " 1");
  check(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "making mounts private");
  check(::mount("tmpfs", "/tmp", "tmpfs", 0, nullptr), "tmpfs");
  int count = 0;
  for (std::string path; std::getline(file, path); ++count) {
    const std::string target = "/tmp" + path;
    make_directories(target);
    const int tree = static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | O_CLOEXEC));
    check(tree, path.c_str());
    mount_attr change{};
    change.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    check(::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &change, sizeof change), "mount_setattr");
    check(::syscall(SYS_move_mount, tree, "", AT_FDCWD, target.c_str(), kMoveFromDescriptor), "move_mount");
    ::close(tree);
  }
  if (count == 0) {
    std::fprintf(stderr, "mount_floor: %s names no directory\n", argv[1]);
    return 1;
  }
  return 0;
}
