// bwrap_entry.cc: from a fresh program with a few descriptors to the first process of a sandbox.
// Invariant: no allocation; nothing is done before it is known that the other side is of the same build.
// Not here: checking the walls that it finds itself in (verify_mounts.cc).
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

Handover& find_handover() noexcept {
  Handover header{};
  if (!is_socket(kControlDescriptor) ||
      ::pread(kMemoryDescriptor, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
    refuse("pinfold-init: Pinfold itself starts this, as the first process of a sandbox\n");
  if (!is_ours(header)) refuse("pinfold-init: the library and the program beside it are of different versions\n");
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address at which the other side has it
  void* memory = map_at(kMemoryDescriptor, reinterpret_cast<void*>(header.address));
  if (memory == nullptr) refuse("pinfold-init: the shared memory cannot be mapped where it must be\n");
  return *static_cast<Handover*>(memory);
}

void say_here() noexcept {
  Here here{::getpid(), own_namespaces()};
  auto self = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  if (self < 0) refuse("pinfold-init: pidfd_open is refused\n");
  if (!send_packet(kControlDescriptor, &here, sizeof here, self)) ::_exit(0);  // nobody is there any more
  ::close(self);
}

}  // namespace

namespace {

// "mnt:[4026531840]". What the link leads to is in no directory, and a profile of AppArmor's may keep us from it.
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

bool is_first_process(int count, char** arguments) noexcept {
  return count == 2 && std::strcmp(arguments[1], kFirstProcessWord) == 0;
}

void be_first_process(char* arguments, std::size_t size) noexcept {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  Handover& handover = find_handover();
  ::prctl(PR_SET_NAME, "pinfold");
  if (::setrlimit(RLIMIT_NOFILE, &handover.files) != 0) refuse("pinfold-init: setrlimit is refused\n");
  say_here();
  Beginning beginning{};
  beginning.method = Method::kGiven;
  beginning.control = kControlDescriptor;
  beginning.arguments = arguments;
  beginning.arguments_size = size;
  pid_one(beginning, handover.shared);
}

}  // namespace pinfold::backend::on_linux::child
