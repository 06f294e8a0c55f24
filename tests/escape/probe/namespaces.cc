// namespaces.cc: attempts to get new namespaces or enter others, by unshare, clone, clone3 and setns.
// Invariant: namespaces and mounts end with this process or with a child that it waits for.
// Not here: what could be mounted in them (mounts.cc).
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "probe.h"

namespace probe {
namespace {

struct Kind {
  const char* name;
  std::uint64_t flag;
};
constexpr Kind kKinds[] = {
    {"user", CLONE_NEWUSER}, {"mnt", CLONE_NEWNS},  {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
    {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}, {"time", 0x80},
};

std::uint64_t flag_of(const std::string& name) {
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return kind.flag;
  }
  return 0;
}

// Alone, as root could; then together with a user namespace, as anyone can.
Result by_unshare(const Args& args) {
  std::uint64_t flag = flag_of(args[0]);
  if (flag == 0) return cannot("no such namespace");
  if (::syscall(SYS_unshare, flag) == 0) return reached("a new " + args[0] + " namespace");
  if (::syscall(SYS_unshare, flag | CLONE_NEWUSER) == 0) return reached("new user and " + args[0] + " namespaces");
  return denied();
}

Result end_child(long child, const std::string& what) {
  int status = 0;
  ::waitpid(static_cast<pid_t>(child), &status, __WALL);
  if (WIFSIGNALED(status)) return denied("the child was killed by signal " + std::to_string(WTERMSIG(status)));
  return reached(what);
}

Result by_clone(const Args& args) {
  std::uint64_t flag = flag_of(args[0]);
  if (flag == 0) return cannot("no such namespace");
  // The time namespace's bit lies in the exit-signal byte: only clone3 and unshare can say it.
  if (flag == 0x80) return cannot("clone cannot ask for it");
  for (std::uint64_t flags : {flag, flag | CLONE_NEWUSER}) {
    long child = ::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, 0);
    if (child == 0) ::_exit(0);
    if (child > 0) return end_child(child, "a child in a new " + args[0] + " namespace");
  }
  return denied();
}

Result by_clone3(const Args& args) {
  std::uint64_t flag = flag_of(args[0]);
  if (flag == 0) return cannot("no such namespace");
  for (std::uint64_t flags : {flag, flag | CLONE_NEWUSER}) {
    clone_args how{};
    how.flags = flags;
    how.exit_signal = SIGCHLD;
    long child = ::syscall(SYS_clone3, &how, sizeof how);
    if (child == 0) ::_exit(0);
    if (child > 0) return end_child(child, "a child in a new " + args[0] + " namespace");
  }
  return denied();
}

// Enters the namespace of another process; as root any, as a user that of a child with its own user namespace.
Result by_setns(const Args& args) {
  std::uint64_t flag = flag_of(args[0]);
  std::string path = "/proc/" + std::to_string(target(args[1])) + "/ns/" + args[0];
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && ::setns(fd, static_cast<int>(flag)) == 0) return reached("entered the " + args[0] + " namespace");
  int first = errno;

  int go[2];
  if (::pipe(go) < 0) return cannot("pipe");
  pid_t child = ::fork();
  if (child < 0) return denied();
  if (child == 0) {
    bool made = ::syscall(SYS_unshare, CLONE_NEWUSER | flag) == 0;
    if (::write(go[1], made ? "y" : "n", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char made = 'n';
  if (::read(go[0], &made, 1) != 1) made = 'n';
  Result result = denied(errno_name(first));
  if (made == 'y') {
    // Joining the user namespace first gives the capability that the other kinds need.
    for (const std::string& name : {std::string("user"), args[0]}) {
      std::string theirs = "/proc/" + std::to_string(child) + "/ns/" + name;
      int other = ::open(theirs.c_str(), O_RDONLY | O_CLOEXEC);
      if (other < 0 || ::setns(other, 0) < 0) break;
      result = reached("entered a child's " + name + " namespace");
    }
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return result;
}

Result by_setns_pidfd(const Args& args) {
  auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, target(args[1]), 0));
  if (pidfd < 0) return denied();
  if (::setns(pidfd, static_cast<int>(flag_of(args[0]))) < 0) return denied();
  return reached("entered the " + args[0] + " namespace by pidfd");
}

Result set_host_name(const Args&) {
  // The name it already has: harmless where it succeeds.
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) < 0) return cannot("gethostname");
  std::string same = name;
  if (::sethostname(same.c_str(), same.size()) < 0) return denied();
  return reached("may set the host name");
}

constexpr Attempt kAttempts[] = {
    {"unshare", 1, by_unshare},         {"clone", 1, by_clone},
    {"clone3", 1, by_clone3},           {"setns", 2, by_setns},
    {"setns-pidfd", 2, by_setns_pidfd}, {"set-host-name", 0, set_host_name},
};

}  // namespace

std::span<const Attempt> namespace_attempts() { return kAttempts; }

}  // namespace probe
