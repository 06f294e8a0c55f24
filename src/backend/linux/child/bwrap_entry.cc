// bwrap_entry.cc: from execve of this program with four known descriptors to init of a sandbox.
// Invariant: no allocation; refuses a handoff written by another build.
// Not here: verifying the mounts that bubblewrap made (verify_mounts.cc).
#include "backend/linux/child/bwrap_entry.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "backend/linux/child/bwrap_handoff.h"
#include "backend/linux/child/init.h"
#include "backend/linux/child/packet.h"

namespace pinfold::backend::on_linux::child {
namespace {

[[noreturn]] void refuse(const char* why) noexcept {
  static_cast<void>(::write(STDERR_FILENO, why, std::strlen(why)));
  ::_exit(125);
}

bool is_socket(int fd) noexcept {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode);
}

BwrapHandoff& map_handoff() noexcept {
  BwrapHandoff header{};
  if (!is_socket(kControlDescriptor) ||
      ::pread(kMemoryDescriptor, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
    refuse("pinfold-init: only Pinfold starts this, as init of a sandbox\n");
  if (!is_ours(header)) refuse("pinfold-init: the library and the program beside it are of different versions\n");
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address at which the other side has it
  void* memory = map_at(kMemoryDescriptor, reinterpret_cast<void*>(header.address));
  if (memory == nullptr) refuse("pinfold-init: the shared memory cannot be mapped where it must be\n");
  return *static_cast<BwrapHandoff*>(memory);
}

void send_hello() noexcept {
  InitHello hello{::getpid(), own_namespaces()};
  auto self = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  if (self < 0) refuse("pinfold-init: pidfd_open is refused\n");
  if (!send_packet(kControlDescriptor, &hello, sizeof hello, self)) ::_exit(0);  // the supervisor has exited
  ::close(self);
}

}  // namespace

namespace {

// "mnt:[4026531840]". Only the link's text is read: an AppArmor profile may deny access to the namespace file behind
// it.
std::uint64_t number_in_link(const char* path) noexcept {
  char text[64] = {};
  if (::readlink(path, text, sizeof text - 1) <= 0) return 0;
  const char* at = std::strchr(text, '[');
  std::uint64_t number = 0;
  while (at != nullptr && *++at >= '0' && *at <= '9') number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  return number;
}

}  // namespace

Namespaces own_namespaces() noexcept {
  Namespaces all{};
  for (std::size_t i = 0; i < kNamespaceCount; ++i) {
    char path[64] = "/proc/self/ns/";
    std::strcat(path, kNamespaceNames[i]);
    all.inode[i] = number_in_link(path);
  }
  return all;
}

bool is_init_invocation(int count, char** arguments) noexcept {
  return count == 2 && std::strcmp(arguments[1], kInitArgument) == 0;
}

void run_as_init(char* arguments, std::size_t size) noexcept {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  BwrapHandoff& handoff = map_handoff();
  ::prctl(PR_SET_NAME, "pinfold");
  if (::setrlimit(RLIMIT_NOFILE, &handoff.files) != 0) refuse("pinfold-init: setrlimit is refused\n");
  send_hello();
  InitOptions options{};
  options.method = ConfinementMethod::kBubblewrap;
  options.control = kControlDescriptor;
  options.arguments = arguments;
  options.arguments_size = size;
  run_init(options, handoff.shared);
}

}  // namespace pinfold::backend::on_linux::child
