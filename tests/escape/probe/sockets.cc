// sockets.cc: attempts to reach the host's canary listeners, and to open families that no sandboxed program needs.
// Invariant: only loopback ports and sockets of the test's own canary are tried; every wait is bounded to 500 ms.
// Not here: names, domains, relays.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

constexpr int kPatience = 500;  // milliseconds

Result answer_from(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  if (::poll(&waiting, 1, kPatience) <= 0) return denied("no answer");
  char buffer[256];
  ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
  if (got < 0) return denied();
  if (got == 0) return denied("closed");
  return reached(printable(std::string_view(buffer, static_cast<std::size_t>(got)), 100));
}

// Non-blocking, so that a black hole costs half a second.
Result connect_and_ask(int fd, int type, const sockaddr* address, socklen_t size) {
  if (::connect(fd, address, size) < 0) {
    if (errno != EINPROGRESS) return denied();
    pollfd waiting{fd, POLLOUT, 0};
    if (::poll(&waiting, 1, kPatience) <= 0) return denied("no answer");
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return denied(errno_name(error));
  }
  // The canary answers a stream at once and closes it.
  if (type == SOCK_DGRAM && ::send(fd, "?", 1, MSG_NOSIGNAL) < 0) return denied();
  return answer_from(fd);
}

sockaddr_in loopback(const std::string& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(number(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Result inet(int type, int protocol, const std::string& port) {
  int fd = ::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  if (fd < 0) return denied();
  sockaddr_in address = loopback(port);
  return connect_and_ask(fd, type, reinterpret_cast<sockaddr*>(&address), sizeof address);
}

Result tcp(const Args& args) { return inet(SOCK_STREAM, 0, args[0]); }
Result udp(const Args& args) { return inet(SOCK_DGRAM, 0, args[0]); }
Result multipath(const Args& args) { return inet(SOCK_STREAM, 262, args[0]); }

// Data with the first packet: no connect call is made.
Result fast_open(const Args& args) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return denied();
  sockaddr_in address = loopback(args[0]);
  if (::sendto(fd, "?", 1, MSG_FASTOPEN | MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
    return denied();
  }
  return answer_from(fd);
}

Result inet6(const in6_addr& host, const std::string& port) {
  int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return denied();
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(number(port)));
  address.sin6_addr = host;
  return connect_and_ask(fd, SOCK_STREAM, reinterpret_cast<sockaddr*>(&address), sizeof address);
}

Result mapped(const Args& args) {
  in6_addr host{};
  ::inet_pton(AF_INET6, "::ffff:127.0.0.1", &host);
  return inet6(host, args[0]);
}

// A name that starts with '@' is abstract.
Result local(int type, const std::string& name) {
  int fd = ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (fd < 0) return denied();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) return cannot("the socket's path is too long");
  std::memcpy(address.sun_path, name.data(), name.size());
  bool abstract = name[0] == '@';
  if (abstract) address.sun_path[0] = '\0';
  auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (abstract ? 0 : 1));
  if (type == SOCK_DGRAM) {
    sockaddr_un own{};
    own.sun_family = AF_UNIX;
    ::bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof(sa_family_t));  // the kernel picks an abstract name
  }
  return connect_and_ask(fd, type, reinterpret_cast<sockaddr*>(&address), size);
}

Result unix_stream(const Args& args) { return local(SOCK_STREAM, args[0]); }
Result unix_datagram(const Args& args) { return local(SOCK_DGRAM, args[0]); }

struct Family {
  const char* name;
  int family;
  int type;
  int protocol;
};
constexpr Family kFamilies[] = {
    {"packet", 17, SOCK_RAW, 0},
    {"vsock", 40, SOCK_STREAM, 0},
    {"audit", 16, SOCK_RAW, 9},
    {"uevent", 16, SOCK_RAW, 15},
    {"sock-diag", 16, SOCK_RAW, 4},
    {"netfilter", 16, SOCK_RAW, 12},
    {"raw-icmp", AF_INET, SOCK_RAW, 1},
    {"raw-ip", AF_INET, SOCK_RAW, 255},
    {"mptcp", AF_INET, SOCK_STREAM, 262},
    {"xdp", 44, SOCK_RAW, 0},
    {"raw-icmp6", AF_INET6, SOCK_RAW, 58},
    {"alg", 38, SOCK_SEQPACKET, 0},
    {"sctp", AF_INET, SOCK_STREAM, 132},
    {"bluetooth", 31, SOCK_RAW, 1},
    {"ping", AF_INET, SOCK_DGRAM, 1},
};

Result family(const Args& args) {
  for (const Family& known : kFamilies) {
    if (args[0] != known.name) continue;
    int fd = ::socket(known.family, known.type | SOCK_CLOEXEC, known.protocol);
    if (fd < 0) return denied();
    return reached("a " + args[0] + " socket");
  }
  return cannot("no such family");
}

// A local socket with a path is a new file.
Result bind_path(const Args& args) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (args[0].size() >= sizeof address.sun_path) return cannot("the path is too long");
  std::memcpy(address.sun_path, args[0].data(), args[0].size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return denied();
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + args[0].size() + 1);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0) return denied();
  return reached("bound " + args[0]);
}

constexpr Attempt kAttempts[] = {
    {"bind-path", 1, bind_path},
    {"tcp", 1, tcp},
    {"udp", 1, udp},
    {"mptcp", 1, multipath},
    {"fast-open", 1, fast_open},
    {"tcp-mapped", 1, mapped},
    {"unix-stream", 1, unix_stream},
    {"unix-datagram", 1, unix_datagram},
    {"family", 1, family},
};

}  // namespace

std::span<const Attempt> socket_attempts() { return kAttempts; }

}  // namespace probe
