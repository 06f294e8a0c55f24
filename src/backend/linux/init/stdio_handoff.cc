// stdio_handoff.cc: checks three descriptors, refuses or replaces them.
#include "backend/linux/init/stdio_handoff.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backend/linux/child/kernel.h"
#include "base/try.h"
#include "plan/plan_view.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {
namespace {

constexpr std::array kNames = {"standard input", "standard output", "standard error"};

Result<void> check(int fd, const struct stat& info, std::size_t stream) {
  const std::string name = kNames[stream];
  const bool is_path_only = (::fcntl(fd, F_GETFL) & O_PATH) != 0;
  // With "..", a directory descriptor leads to everything around it, out of the sandbox.
  if (S_ISDIR(info.st_mode) || is_path_only)
    return fail(ErrorKind::kInvalid, name + " is a directory, which would lead the command out of its sandbox",
                stream == 0 ? "give it a file, a pipe or /dev/null" : "send it to a file, a pipe or /dev/null");
  if (S_ISBLK(info.st_mode))
    return fail(ErrorKind::kInvalid, name + " is a disk: the command could do more to it than read and write",
                "put a pipe between, with cat or dd");
  return {};
}

std::string name_of(int fd) {
  char name[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = ::readlink(link.c_str(), name, sizeof name);
  if (size <= 0 || size == static_cast<ssize_t>(sizeof name) || name[0] != '/') return {};
  return {name, static_cast<std::size_t>(size)};
}

// A user who may not change the file on the host cannot change it inside either.
bool is_changeable(const struct stat& info, const std::string& path) {
  const uid_t user = ::geteuid();
  return user == 0 || info.st_uid == user || ::access(path.c_str(), W_OK) == 0;
}

struct ReopenTask {
  const char* path;
  struct stat wanted;
  int flags;
  int result = -1;
};

// Shares memory and descriptors with the caller, but has its own mount namespace: only there can it clone a mount.
int reopen_in_namespace(void* argument) noexcept {
  auto& task = *static_cast<ReopenTask*>(argument);
  const int found = ::open(task.path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat info {};
  if (found < 0 || ::fstat(found, &info) != 0 || info.st_dev != task.wanted.st_dev || info.st_ino != task.wanted.st_ino)
    ::_exit(1);
  const int tree = kernel::open_tree(found, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  ::close(found);
  if (tree < 0) ::_exit(1);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (kernel::mount_setattr(tree, "", AT_EMPTY_PATH, &attributes) == 0) {
    char link[32] = "/proc/self/fd/";
    char* at = link + 14;
    int number = tree;
    char digits[12];
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    while (count > 0) *at++ = digits[--count];
    task.result = ::open(link, task.flags);
  }
  ::close(tree);
  ::_exit(0);
}

}  // namespace

sys::Fd reopen_read_only(int fd) {
  ReopenTask task{};
  const std::string path = name_of(fd);
  if (path.empty() || ::fstat(fd, &task.wanted) != 0 || task.wanted.st_nlink == 0) return {};
  task.path = path.c_str();
  task.flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (::fcntl(fd, F_GETFL) & (O_NONBLOCK | O_DIRECT));
  // Signal handlers must run in the original process only.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::vector<char> stack(64 * 1024);
  char* top = stack.data() + stack.size();
  top -= reinterpret_cast<std::uintptr_t>(top) % 16;
  // Root needs no user namespace, unless it lacks capabilities.
  constexpr int kShared = CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_NEWNS;
  for (const int space : {0, CLONE_NEWUSER}) {
    const pid_t helper = ::clone(reopen_in_namespace, top, kShared | space, &task);
    if (helper < 0) continue;
    while (::waitpid(helper, nullptr, __WALL) < 0 && errno == EINTR) {
    }
    if (task.result >= 0) break;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  auto copy = sys::Fd::adopt(task.result);
  if (copy.is_open()) ::lseek(copy.raw(), ::lseek(fd, 0, SEEK_CUR), SEEK_SET);
  return copy;
}

Result<Launch> StdioHandoff::prepare(const Launch& launch, const Plan& plan) {
  Launch out = launch;
  for (std::size_t i = 0; i < 3; ++i) {
    const int fd = launch.fds[i];
    struct stat info {};
    if (launch.stdio[i] != StdioKind::kPass) continue;
    if (::fstat(fd, &info) != 0) {
      if (errno == EBADF) continue;  // the caller closed this stream
      return tl::unexpected<Error>(sys::os_error("fstat", kNames[i], errno));
    }
    PF_CHECK(check(fd, info, i));
    if (!S_ISREG(info.st_mode) || (::fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY) continue;
    const std::string path = name_of(fd);
    if (path.empty() || !is_changeable(info, path)) continue;
    if (plan::PlanView(plan).look_up(path).state == plan::PathState::kWritable) continue;
    auto copy = reopen_read_only(fd);
    if (!copy.is_open()) continue;
    out.fds[i] = copy.raw();
    pairs_[i] = {sys::Fd::adopt(::fcntl(fd, F_DUPFD_CLOEXEC, 3)), std::move(copy)};
  }
  return out;
}

void StdioHandoff::restore_offsets() {
  for (StreamPair& each : pairs_) {
    if (each.own.is_open() && each.copy.is_open())
      ::lseek(each.own.raw(), ::lseek(each.copy.raw(), 0, SEEK_CUR), SEEK_SET);
    each = {};
  }
}

}  // namespace pinfold::backend::on_linux
