// start_floor.cc: the kernel's own time to make a sandbox like Pinfold's, run a command in it, and remove it.
// Invariant: the system calls that every such sandbox needs, one after the other, and no more: no policy, no plan, no
// report, no supervisor, no search for names to protect. Not here: clocks (spawn_timer.cc), budgets
// (bench/rows.py).
//
//   start_floor PROGRAM     runs it with namespaces, a root of its own, Landlock and a seccomp filter; its working
//   directory is the project
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr std::string_view kRoot = "/tmp";  // covered by the new root, and gone with it

long check(long result, const char* what) {
  if (result >= 0) return result;
  std::perror(what);
  std::exit(1);
}

void write_text(const char* path, const std::string& text) {
  const int fd = static_cast<int>(check(::open(path, O_WRONLY | O_CLOEXEC), path));
  check(::write(fd, text.data(), text.size()), path);
  ::close(fd);
}

std::string inside(const std::string& path) { return std::string(kRoot) + path; }

void make_directories(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    ::mkdir(inside(path.substr(0, slash)).c_str(), 0755);
  ::mkdir(inside(path).c_str(), 0755);
}

void show(const std::string& path, std::uint64_t restrict) {
  const int tree = static_cast<int>(check(
      ::syscall(SYS_open_tree, AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | O_CLOEXEC | AT_RECURSIVE), path.c_str()));
  mount_attr change{};
  change.attr_set = restrict;
  check(::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &change, sizeof change), "mount_setattr");
  check(::syscall(SYS_move_mount, tree, "", AT_FDCWD, inside(path).c_str(), MOVE_MOUNT_F_EMPTY_PATH), path.c_str());
  ::close(tree);
}

void network() {
  const int fd = static_cast<int>(check(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  check(::ioctl(fd, SIOCSIFFLAGS, &request), "lo");
  ::close(fd);
}

void view(const std::string& project) {
  check(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "making mounts private");
  check(::mount("tmpfs", kRoot.data(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"), "root");
  for (const char* name : {"/usr", "/etc", "/sys", "/dev", "/proc", "/tmp"}) make_directories(name);
  for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::array<char, 64> target{};
    if (::readlink(name, target.data(), target.size() - 1) > 0)
      check(::symlink(target.data(), inside(name).c_str()), name);
  }
  constexpr std::uint64_t kFixed = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  for (const char* path : {"/usr", "/etc", "/sys"}) show(path, kFixed);
  check(::mount("tmpfs", inside("/dev").c_str(), "tmpfs", MS_NOSUID, "mode=755"), "dev");
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}) {
    ::close(static_cast<int>(check(::open(inside(path).c_str(), O_CREAT | O_CLOEXEC, 0666), path)));
    show(path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  }
  make_directories("/dev/pts");
  check(::mount("devpts", inside("/dev/pts").c_str(), "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666"),
        "pts");
  check(::mount("proc", inside("/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "proc");
  for (const char* path : {"/proc/sys", "/proc/irq", "/proc/bus"}) show(path, kFixed);
  check(::mount("tmpfs", inside("/tmp").c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"), "tmp");
  make_directories(project);
  show(project, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  check(::chdir(kRoot.data()), "chdir");
  check(::syscall(SYS_pivot_root, ".", "."), "pivot_root");
  check(::umount2(".", MNT_DETACH), "umount");
  check(::chdir(project.c_str()), project.c_str());
}

void landlock(const std::string& project) {
  landlock_ruleset_attr rights{};
  rights.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  const int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0));
  if (rules < 0) return;  // an older kernel
  constexpr std::uint64_t kRead =
      LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  for (const std::string& path : {std::string("/usr"), std::string("/etc"), std::string("/sys"), std::string("/dev"),
                                  std::string("/proc"), std::string("/tmp"), project}) {
    landlock_path_beneath_attr rule{};
    rule.allowed_access = path == project || path == "/tmp" ? rights.handled_access_fs : kRead;
    rule.parent_fd = static_cast<int>(check(::open(path.c_str(), O_PATH | O_CLOEXEC), path.c_str()));
    check(::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0), "landlock_add_rule");
    ::close(rule.parent_fd);
  }
  check(::syscall(SYS_landlock_restrict_self, rules, 0), "landlock_restrict_self");
  ::close(rules);
}

void filter() {
  std::array<sock_filter, 1> program = {{BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog all = {static_cast<unsigned short>(program.size()), program.data()};
  check(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all), "seccomp");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: start_floor PROGRAM\n");
    return 2;
  }
  const std::string uid = std::to_string(::getuid());
  const std::string gid = std::to_string(::getgid());
  std::array<char, 4096> project{};
  if (::getcwd(project.data(), project.size()) == nullptr) return 1;
  check(::unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                  CLONE_NEWCGROUP),
        "unshare");
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", uid + " " + uid + " 1");
  write_text("/proc/self/gid_map", gid + " " + gid + " 1");
  const pid_t first = static_cast<pid_t>(check(::fork(), "fork"));
  int status = 0;
  if (first == 0) {
    network();
    view(project.data());
    check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
    landlock(project.data());
    const pid_t command = static_cast<pid_t>(check(::fork(), "fork"));
    if (command == 0) {
      filter();
      ::execv(argv[1], argv + 1);
      ::_exit(127);
    }
    check(::waitpid(command, &status, 0), "waitpid");
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  check(::waitpid(first, &status, 0), "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
