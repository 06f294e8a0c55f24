// dialer.cc: non-blocking connects, staggered.
#include "net/dialer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "sys/call.h"

namespace pinfold::net {

std::vector<Address> in_turns(const std::vector<Address>& addresses) {
  std::vector<Address> six, four, mixed;
  for (const Address& each : addresses) (each.is_v4() ? four : six).push_back(each);
  for (std::size_t i = 0; i < std::max(six.size(), four.size()); ++i) {
    if (i < six.size()) mixed.push_back(six[i]);
    if (i < four.size()) mixed.push_back(four[i]);
  }
  if (mixed.size() > Dialer::kMostTried) mixed.erase(mixed.begin() + Dialer::kMostTried, mixed.end());
  return mixed;
}

Dialer::Dialer(sys::EventLoop& loop, std::vector<Address> addresses, std::uint16_t port, DialTimes times, Done done)
    : loop_(loop), addresses_(std::move(addresses)), port_(port), times_(times), done_(std::move(done)) {}

Dialer::~Dialer() { clear(); }

void Dialer::clear() {
  for (auto& [fd, attempt] : attempts_) loop_.remove(fd);
  attempts_.clear();
  if (stagger_ != 0) loop_.cancel(stagger_);
  if (limit_ != 0) loop_.cancel(limit_);
  stagger_ = limit_ = 0;
}

void Dialer::answer(Result<DialResult> result) {
  clear();
  auto done = std::move(done_);
  done(std::move(result));  // may destroy this
}

void Dialer::start() {
  limit_ = loop_.after(times_.limit, [this] {
    limit_ = 0;
    answer(tl::unexpected<Error>(sys::os_error("connect", with_port(addresses_.front(), port_), ETIMEDOUT)));
  });
  next();
}

void Dialer::next() {
  if (stagger_ != 0) loop_.cancel(stagger_);
  stagger_ = 0;
  while (tried_ < addresses_.size()) {
    Address address = addresses_[tried_++];
    int family = address.is_v4() ? AF_INET : AF_INET6;
    sys::Fd socket = sys::Fd::adopt(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) {
      last_error_ = errno;
      continue;
    }
    int one = 1;
    ::setsockopt(socket.raw(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    ::setsockopt(socket.raw(), SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    sockaddr_storage storage{};
    socklen_t size = address.put(port_, storage);
    auto* to = reinterpret_cast<const sockaddr*>(&storage);
    int status = ::connect(socket.raw(), to, size);
    // A connection to this host is complete when connect() returns.
    if (status != 0 && errno == EINPROGRESS && ::connect(socket.raw(), to, size) == 0) status = 0;
    if (status != 0 && errno == EALREADY) errno = EINPROGRESS;
    if (status == 0) return answer(DialResult{std::move(socket), address});
    if (errno != EINPROGRESS) {
      last_error_ = errno;
      continue;
    }
    int fd = socket.raw();
    if (!loop_.add(fd, sys::EventLoop::Interest::kWrite, [this, fd] { ready(fd); })) continue;
    attempts_.emplace(fd, Attempt{std::move(socket), address});
    if (tried_ < addresses_.size()) stagger_ = loop_.after(times_.stagger, [this] { stagger_ = 0, next(); });
    return;
  }
  if (attempts_.empty()) {
    std::string subject = addresses_.empty() ? "" : with_port(addresses_.back(), port_);
    answer(tl::unexpected<Error>(sys::os_error("connect", subject, last_error_ != 0 ? last_error_ : EADDRNOTAVAIL)));
  }
}

void Dialer::ready(int fd) {
  auto found = attempts_.find(fd);
  if (found == attempts_.end()) return;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  loop_.remove(fd);
  Attempt attempt = std::move(found->second);
  attempts_.erase(found);
  if (error == 0) return answer(DialResult{std::move(attempt.socket), attempt.address});
  last_error_ = error;
  attempt.socket.reset();
  next();
}

std::optional<bool> is_own_address(const Address& address) {
  int family = address.is_v4() ? AF_INET : AF_INET6;
  sys::Fd socket = sys::Fd::adopt(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage storage{};
  socklen_t size = address.put(9, storage);
  if (!socket.is_open() && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
    return std::nullopt;
  // Connecting a datagram socket only looks up the route. For an address of this host, the kernel chooses the
  // destination as the source.
  if (!socket.is_open() || ::connect(socket.raw(), reinterpret_cast<const sockaddr*>(&storage), size) != 0)
    return false;
  sockaddr_storage own{};
  size = sizeof own;
  if (::getsockname(socket.raw(), reinterpret_cast<sockaddr*>(&own), &size) != 0) return false;
  return Address::from(own) == address;
}

}  // namespace pinfold::net
