// exec.cc: attempts to run another program, each by another door.
// Invariant: the program that is run says REACHED itself (it is echo), so an answer is proof that it ran.
// Not here: limits on how many (resources.cc).
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "probe.h"

extern char** environ;

namespace probe {
namespace {

constexpr const char* kEcho = "/bin/echo";

Result run_path(const std::string& path, const std::string& how) {
  std::string said = "REACHED echo ran " + how;
  char* argv[] = {const_cast<char*>("echo"), said.data(), nullptr};
  ::execve(path.c_str(), argv, environ);
  return denied();
}

Result by_path(const Args&) { return run_path(kEcho, "by its path"); }
Result by_proc_root(const Args&) { return run_path("/proc/self/root/usr/bin/echo", "by /proc/self/root"); }

Result by_loader(const Args&) {
  for (const char* loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"}) {
    std::string said = "REACHED echo ran by the loader";
    char* argv[] = {const_cast<char*>(loader), const_cast<char*>(kEcho), said.data(), nullptr};
    ::execve(loader, argv, environ);
    if (errno != ENOENT) break;
  }
  return denied();
}

bool copy_into(int to) {
  int from = ::open("/usr/bin/echo", O_RDONLY | O_CLOEXEC);
  if (from < 0) return false;
  char buffer[65536];
  ssize_t got = 0;
  while ((got = ::read(from, buffer, sizeof buffer)) > 0) {
    if (::write(to, buffer, static_cast<std::size_t>(got)) != got) return false;
  }
  ::close(from);
  return got == 0;
}

Result by_memory_file(const Args&) {
  auto fd = static_cast<int>(::syscall(SYS_memfd_create, "probe", 0));
  if (fd < 0) return denied();
  if (!copy_into(fd)) return denied();
  std::string said = "REACHED echo ran from memory";
  char* argv[] = {const_cast<char*>("echo"), said.data(), nullptr};
  ::syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
  return denied();
}

Result by_unnamed_file(const Args& args) {
  int fd = ::open(args[0].c_str(), O_TMPFILE | O_RDWR, 0755);
  if (fd < 0) return denied();
  if (!copy_into(fd)) return denied();
  std::string name = "/proc/self/fd/" + std::to_string(fd);
  int readable = ::open(name.c_str(), O_RDONLY);
  ::close(fd);
  if (readable < 0) return denied();
  std::string said = "REACHED echo ran from a file without a name";
  char* argv[] = {const_cast<char*>("echo"), said.data(), nullptr};
  ::syscall(SYS_execveat, readable, "", argv, environ, AT_EMPTY_PATH);
  return denied();
}

Result by_copy(const Args& args) {
  int fd = ::open(args[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (fd < 0) return denied();
  if (!copy_into(fd)) return denied();
  ::close(fd);
  Result result = run_path(args[0], "as a copy");
  return result;
}

Result by_copy_and_loader(const Args& args) {
  int fd = ::open(args[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (fd < 0) return denied();
  if (!copy_into(fd)) return denied();
  ::close(fd);
  std::string said = "REACHED a copy of echo ran by the loader";
  char* argv[] = {const_cast<char*>("ld"), const_cast<char*>(args[0].c_str()), said.data(), nullptr};
  ::execve("/lib64/ld-linux-x86-64.so.2", argv, environ);
  return denied();
}

Result by_symlink(const Args& args) {
  ::unlink(args[0].c_str());
  if (::symlink("/usr/bin/echo", args[0].c_str()) < 0) return denied();
  return run_path(args[0], "by a symlink");
}

// args: PATH of the script to make, its interpreter
Result by_script(const Args& args) {
  int fd = ::open(args[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (fd < 0) return denied();
  std::string text = "#!" + args[1] + " REACHED the interpreter of a script ran:\n";
  if (::write(fd, text.data(), text.size()) < 0) return denied();
  ::close(fd);
  char* argv[] = {const_cast<char*>("script"), nullptr};
  ::execve(args[0].c_str(), argv, environ);
  return denied();
}

// Waits for a child that runs echo, or says why there is none.
Result wait_for(pid_t child, const std::string& how) {
  if (child < 0) return denied();
  int status = 0;
  if (::waitpid(child, &status, 0) < 0) return denied();
  if (WIFSIGNALED(status)) return denied(std::string("killed by SIG") + ::sigabbrev_np(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return denied("the child could not run anything: " + errno_name(WEXITSTATUS(status)));
  return reached(how);
}

Result by_fork(const Args&) {
  pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  return wait_for(child, "had a child by fork");
}

Result by_vfork(const Args&) {
  pid_t child = ::vfork();
  if (child == 0) ::_exit(0);
  return wait_for(child, "had a child by vfork");
}

Result by_raw_fork(const Args&) {
  auto child = static_cast<pid_t>(::syscall(SYS_fork));
  if (child == 0) ::_exit(0);
  return wait_for(child, "had a child by the fork call");
}

Result by_clone3(const Args&) {
  struct {
    std::uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } how{};
  how.exit_signal = SIGCHLD;
  auto child = static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
  if (child == 0) ::_exit(0);
  return wait_for(child, "had a child by clone3");
}

// Shares memory but is a process of its own.
Result by_clone_vm(const Args&) {
  static char stack[65536];
  pid_t child = ::clone([](void*) { return 0; }, stack + sizeof stack, CLONE_VM | CLONE_FILES | SIGCHLD, nullptr);
  return wait_for(child, "had a child that shares its memory");
}

Result by_spawn(const Args&) {
  pid_t child = 0;
  char* argv[] = {const_cast<char*>("true"), nullptr};
  int error = ::posix_spawn(&child, "/bin/true", nullptr, nullptr, argv, environ);
  if (error != 0) return denied(errno_name(error));
  return wait_for(child, "ran true by posix_spawn");
}

Result by_fork_exec(const Args& args) {
  pid_t child = ::fork();
  if (child == 0) {
    char* argv[] = {const_cast<char*>(args[0].c_str()), nullptr};
    ::execve(args[0].c_str(), argv, environ);
    ::_exit(errno);
  }
  return wait_for(child, "ran " + args[0]);
}

// Executable pages backed by a writable file: the door of a program that loads programs itself.
Result map_executable(const Args& args) {
  int fd = ::open(args[0].c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return denied();
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (page == MAP_FAILED) return denied();
  return reached("mapped a file as code");
}

constexpr Attempt kAttempts[] = {
    {"exec-path", 0, by_path},
    {"exec-proc-root", 0, by_proc_root},
    {"exec-loader", 0, by_loader},
    {"exec-memfd", 0, by_memory_file},
    {"exec-unnamed", 1, by_unnamed_file},
    {"exec-copy", 1, by_copy},
    {"exec-copy-loader", 1, by_copy_and_loader},
    {"exec-script", 2, by_script},
    {"exec-symlink", 1, by_symlink},
    {"fork", 0, by_fork},
    {"vfork", 0, by_vfork},
    {"raw-fork", 0, by_raw_fork},
    {"clone3-child", 0, by_clone3},
    {"clone-vm", 0, by_clone_vm},
    {"posix-spawn", 0, by_spawn},
    {"fork-exec", 1, by_fork_exec},
    {"map-executable", 1, map_executable},
};

}  // namespace

std::span<const Attempt> exec_attempts() { return kAttempts; }

}  // namespace probe
