// host_sockets.cc: listening sockets in this process's network namespace, and texts for the relay's events.
// Not here: sockets in another network namespace.
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/try.h"
#include "net/events.h"
#include "net/rules.h"
#include "sys/call.h"

namespace pinfold::net {
namespace {

Result<sys::Fd> bound(const Address& address, std::uint16_t port, int type) {
  std::string subject = with_port(address, port);
  int family = address.is_v4() ? AF_INET : AF_INET6;
  PF_TRY(socket,
         sys::call_fd("socket", subject, [&] { return ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }));
  int one = 1;
  ::setsockopt(socket.raw(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  ::setsockopt(socket.raw(), SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
  if (!address.is_v4()) ::setsockopt(socket.raw(), IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
  sockaddr_storage storage{};
  socklen_t size = address.put(port, storage);
  auto* raw = reinterpret_cast<const sockaddr*>(&storage);
  PF_TRY(done, sys::call("bind", subject, [&] { return ::bind(socket.raw(), raw, size); }));
  static_cast<void>(done);
  return socket;
}

}  // namespace

Result<sys::Fd> HostSockets::listen(const Address& address, std::uint16_t port) {
  PF_TRY(socket, bound(address, port, SOCK_STREAM));
  PF_TRY(done, sys::call("listen", with_port(address, port), [&] { return ::listen(socket.raw(), SOMAXCONN); }));
  static_cast<void>(done);
  return socket;
}

Result<sys::Fd> HostSockets::datagram(const Address& address, std::uint16_t port) {
  return bound(address, port, SOCK_DGRAM);
}

const char* words_for(End end) {
  switch (end) {
    case End::kFinished: return "finished";
    case End::kResetInside: return "reset by the program";
    case End::kResetOutside: return "reset by the other side";
    case End::kUnresolved: return "no address found";
    case End::kUnreachable: return "could not be reached";
    case End::kIdle: return "idle for too long";
    case End::kDenied: return "denied";
    case End::kGrantRemoved: return "its grant was removed";
    case End::kRelayEnded: return "the run ended";
  }
  return "";
}

}  // namespace pinfold::net
