// peer.cc: SO_PEERCRED, and the namespace of that process.
#include "control/peer.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace pinfold::control {
namespace {

std::optional<std::uint64_t> user_namespace(pid_t pid) {
  struct stat info {};
  const std::string path = fmt::format("/proc/{}/ns/user", pid);
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info.st_ino;
}

}  // namespace

bool is_one_of_ours(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  if (peer.uid != ::geteuid() || peer.pid <= 0) return false;
  static const auto ours = user_namespace(::getpid());
  const auto theirs = user_namespace(peer.pid);
  return ours && theirs && *ours == *theirs;
}

}  // namespace pinfold::control
