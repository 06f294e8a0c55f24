// sockets.cc: makes one socket on request.
// Invariant: no allocation; non-blocking, close-on-exec.
#include "backend/linux/child/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pinfold::backend::on_linux::child {
namespace {

bool bind_to(int socket, const SocketAddress& wanted) noexcept {
  if (wanted.family == AF_INET) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(wanted.port);
    std::memcpy(&at.sin_addr, wanted.address, sizeof at.sin_addr);
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  }
  sockaddr_in6 at{};
  at.sin6_family = AF_INET6;
  at.sin6_port = htons(wanted.port);
  std::memcpy(&at.sin6_addr, wanted.address, sizeof at.sin6_addr);
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
}

// SO_REUSEPORT: a port granted for a whole network has a socket on all addresses, beside those of single names.
// IPV6_FREEBIND: no interface has the IPv6 addresses of names; only a route leads to them.
bool prepare(int socket, const SocketAddress& wanted) noexcept {
  int on = 1;
  if (::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0)
    return false;
  return wanted.family == AF_INET || (::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0 &&
                                      ::setsockopt(socket, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on) == 0);
}

}  // namespace

int open_socket(const SocketAddress& wanted) noexcept {
  int made = ::socket(wanted.family, wanted.type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  if (prepare(made, wanted) && bind_to(made, wanted) && (wanted.type != SOCK_STREAM || ::listen(made, SOMAXCONN) == 0))
    return made;
  int error = errno;
  ::close(made);
  errno = error;
  return -1;
}

}  // namespace pinfold::backend::on_linux::child
