// fault_probe.cc: the sandboxed command of the fault sweeps: looks at its own confinement, and leaves a mark.
//   fault_probe MARK SECRET_FILE PROTECTED_FILE NEW_HOOK PORT VARIABLE FILE_SIZE_LIMIT
// Prints "through: …" for each restriction that does not hold, then "whole". MARK gets the same text.
// Invariant: tries each thing once, changes nothing that is not the run's own.
// Not here: what the answers mean (tests/faults/run).
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string findings;

void through(const char* what) { findings += std::string("through: ") + what + "\n"; }

bool opens(const char* path, int flags) {
  const int fd = ::open(path, flags | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

bool connects(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool reached = fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (fd >= 0) ::close(fd);
  return reached;
}

bool reads(const char* path) {
  char byte = 0;
  const int fd = ::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const bool got = fd >= 0 && ::read(fd, &byte, 1) == 1;
  if (fd >= 0) ::close(fd);
  return got;
}

// Its own mode again: nothing changes on the host.
bool may_change_mode(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISCHR(info.st_mode) && ::fchmod(fd, info.st_mode & 07777) == 0;
}

std::string status() {
  std::string text(8192, '\0');
  const int fd = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const ssize_t got = fd >= 0 ? ::read(fd, text.data(), text.size()) : 0;
  if (fd >= 0) ::close(fd);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

void check(char** argv) {
  for (int fd = 3; fd < 256; ++fd)
    if (::fcntl(fd, F_GETFD) >= 0) through("an inherited descriptor");
  const std::string known = status();
  for (const char* line : {"\nNoNewPrivs:\t1\n", "\nSeccomp:\t2\n", "\nCapEff:\t0000000000000000\n",
                           "\nCapPrm:\t0000000000000000\n", "\nCapInh:\t0000000000000000\n"})
    if (known.find(line) == std::string::npos) through(line + 1);
  if (opens(argv[2], O_RDONLY)) through("a hidden file was read");
  if (opens(argv[3], O_WRONLY | O_APPEND)) through("a protected file was opened for writing");
  if (opens(argv[4], O_WRONLY | O_CREAT)) through("a git hook was made");
  if (connects(std::atoi(argv[5]))) through("the host's loopback was reached");
  if (std::getenv(argv[6]) != nullptr) through("a variable that no rule names");
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > std::strtoull(argv[7], nullptr, 10))
    through("no limit on the size of files");
  for (const char* masked : {"/proc/kallsyms", "/proc/timer_list", "/proc/slabinfo", "/proc/vmallocinfo"})
    if (reads(masked)) through(masked);
  for (const char* setting : {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity"})
    if (opens(setting, O_WRONLY)) through(setting);
  if (may_change_mode(0)) through("the mode of the host's /dev/null");
  if (::unshare(CLONE_NEWUSER) == 0) through("a new user namespace");
}

bool write_all(int fd, const std::string& text) {
  return ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  check(argv);
  findings += "whole\n";
  const int mark = ::open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool done = mark >= 0 && write_all(mark, findings) && write_all(1, findings);
  return done ? 0 : 1;
}
