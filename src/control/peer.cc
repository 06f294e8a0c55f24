// peer.cc: finds the peer's process and compares /proc/PID with /proc/self.
#include "control/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include <fmt/format.h>

#include "sys/call.h"
#include "sys/fd.h"

namespace pinfold::control {
namespace {

constexpr int kPeerPidfd = 77;                                 // SO_PEERPIDFD, since 6.5; the C library may be older
constexpr std::size_t kLongestStatus = std::size_t{1} << 20U;  // "Groups" alone may have 65536 numbers

std::optional<std::string> read_proc(pid_t process, std::string_view name) {
  const std::string path = fmt::format("/proc/{}/{}", process, name);
  const auto file = sys::Fd::adopt(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string out;
  std::array<char, 4096> buffer;
  while (file.is_open() && out.size() < kLongestStatus) {
    const ssize_t size = ::read(file.raw(), buffer.data(), buffer.size());
    if (size == 0) return out;
    if (size < 0 && errno != EINTR) return std::nullopt;
    if (size > 0) out.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return std::nullopt;
}

std::optional<PeerConfinement::Identity> identity_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return PeerConfinement::Identity{info.st_dev, info.st_ino};
}

// The number in a line of /proc/PID/status, such as "Seccomp:\t2" or "CapEff:\t000001ffffffffff".
std::optional<std::uint64_t> number_of(std::string_view status, std::string_view key, int base = 10) {
  const std::string wanted = fmt::format("\n{}:\t", key);
  const std::size_t at = status.find(wanted);
  if (at == std::string_view::npos) return std::nullopt;
  const char* begin = status.data() + at + wanted.size();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(begin, status.data() + status.size(), number, base);
  if (error != std::errc() || end == begin) return std::nullopt;
  return number;
}

// The label that AppArmor, SELinux or Smack gives the process. Without such a module read() fails with EINVAL.
std::optional<std::string> label_of(pid_t process) {
  auto label = read_proc(process, "attr/current");
  if (!label) return std::nullopt;
  while (!label->empty() && (label->back() == '\n' || label->back() == '\0')) label->pop_back();
  return label->empty() ? std::nullopt : std::move(label);
}

// AppArmor: "unconfined", or a profile in the mode that restricts nothing.
bool is_unconfined(std::string_view label) { return label == "unconfined" || label.ends_with(" (unconfined)"); }

Error refusal(const std::string& why) {
  return Error(ErrorKind::kSystem, why,
               "run both `pinfold session start` and this command in the same shell, container or sandbox");
}

// A pidfd of the process that connected or listened. Linux 6.5 and later provide it by SO_PEERPIDFD. Older kernels give
// only the pid, which another process can have if the peer ended before this call.
sys::Fd process_behind(int socket, pid_t process) {
  int fd = -1;
  socklen_t size = sizeof fd;
  if (::getsockopt(socket, SOL_SOCKET, kPeerPidfd, &fd, &size) == 0) return sys::Fd::adopt(fd);
  if (errno != ENOPROTOOPT) return {};
  return sys::Fd::adopt(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

bool still_runs(const sys::Fd& process) {
  pollfd state{process.raw(), POLLIN, 0};
  int ready = -1;
  do ready = process.is_open() ? ::poll(&state, 1, 0) : 1;
  while (ready < 0 && errno == EINTR);
  return ready == 0;
}

// `error`: the errno of the failed call, or 0.
Error not_examined(pid_t process, int error) {
  return refusal(fmt::format("process {} cannot be examined in /proc{}", process,
                             error == 0 ? "" : ": " + sys::errno_text(error)));
}

}  // namespace

std::optional<PeerConfinement> confinement_of(pid_t process) {
  PeerConfinement out;
  for (std::size_t i = 0; i < out.namespaces.size(); ++i) {
    const auto found = identity_of(fmt::format("/proc/{}/ns/{}", process, PeerConfinement::kNamespaces[i]));
    if (!found) return std::nullopt;
    out.namespaces[i] = *found;
  }
  const auto root = identity_of(fmt::format("/proc/{}/root", process));
  const auto status = read_proc(process, "status");
  if (!root || !status) return std::nullopt;
  out.root = *root;
  const auto mode = number_of(*status, "Seccomp");
  const auto filters = number_of(*status, "Seccomp_filters");
  // A kernel without seccomp has neither line, and no process has a filter.
  const std::uint64_t any = mode.value_or(0) != 0 ? 1 : 0;
  out.seccomp_filters = filters.value_or(any);
  constexpr int kHexadecimal = 16;
  const auto effective = number_of(*status, "CapEff", kHexadecimal);
  const auto bounding = number_of(*status, "CapBnd", kHexadecimal);
  if (!effective || !bounding) return std::nullopt;
  out.effective = *effective;
  out.bounding = *bounding;
  out.label = label_of(process);
  out.no_new_privileges = number_of(*status, "NoNewPrivs").value_or(0) != 0;
  return out;
}

std::string restriction_beyond(const PeerConfinement& own, const PeerConfinement& peer) {
  for (std::size_t i = 0; i < own.namespaces.size(); ++i)
    if (own.namespaces[i] != peer.namespaces[i])
      return fmt::format("it is in another {} namespace", PeerConfinement::kNamespaces[i]);
  if (own.root != peer.root) return "it has another root directory (chroot)";
  if (peer.seccomp_filters > own.seccomp_filters) return "it is behind more seccomp filters";
  if (peer.no_new_privileges && !own.no_new_privileges) return "it runs with no_new_privs";
  if ((own.effective & ~peer.effective) != 0) return "it lacks capabilities that this process has";
  if ((own.bounding & ~peer.bounding) != 0) return "its capability bounding set is smaller";
  if (own.label != peer.label && !is_unconfined(peer.label.value_or("")))
    return "it has another security label (/proc/PID/attr/current)";
  return {};
}

Result<void> check_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return tl::unexpected<Error>(sys::os_error("getsockopt", "SO_PEERCRED", errno));
  if (peer.pid <= 0) return tl::unexpected<Error>(refusal("the other process cannot be seen from here"));
  if (peer.uid != ::geteuid())
    return tl::unexpected<Error>(refusal(fmt::format("process {} belongs to another user", peer.pid)));
  errno = 0;
  const sys::Fd process = process_behind(socket, peer.pid);
  if (!process.is_open()) return tl::unexpected<Error>(not_examined(peer.pid, errno));
  // Kept only if it is known: otherwise one failed call would have this process refuse every peer.
  thread_local std::optional<PeerConfinement> own;
  if (!own) own = confinement_of(::getpid());
  if (!own) return tl::unexpected<Error>(not_examined(::getpid(), errno));
  errno = 0;
  const auto found = confinement_of(peer.pid);
  if (!found) return tl::unexpected<Error>(not_examined(peer.pid, errno));
  // It still runs, so its pid was not reused and the files were its own.
  if (!still_runs(process)) return tl::unexpected<Error>(not_examined(peer.pid, 0));
  if (const std::string why = restriction_beyond(*own, *found); !why.empty())
    return tl::unexpected<Error>(refusal(fmt::format("process {} is confined more than this one: {}", peer.pid, why)));
  return {};
}

bool has_peer_exited(int socket, std::chrono::milliseconds most) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return false;
  const sys::Fd process = process_behind(socket, peer.pid);
  pollfd state{process.raw(), POLLIN, 0};
  return !process.is_open() || ::poll(&state, 1, static_cast<int>(most.count())) > 0;
}

}  // namespace pinfold::control
