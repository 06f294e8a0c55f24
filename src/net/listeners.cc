// listeners.cc: a table of listening sockets by address and port.
#include "net/listeners.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/try.h"
#include "sys/descriptors.h"

namespace pinfold::net {
namespace {

sys::Fd open_spare() { return sys::Fd::adopt(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

Destination with_own_address(const sys::Fd& socket, Destination destination) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(socket.raw(), reinterpret_cast<sockaddr*>(&storage), &size) == 0)
    destination.address = Address::from(storage);
  return destination;
}

}  // namespace

Listeners::Listeners(sys::EventLoop& loop, SandboxSockets& sockets, std::size_t most, Accepted accepted)
    : loop_(loop), sockets_(sockets), most_(most), accepted_(std::move(accepted)), spare_(open_spare()) {}

Listeners::~Listeners() {
  for (auto& [key, each] : listeners_) loop_.remove(each.socket.raw());
}

Result<void> Listeners::ensure(const Address& address, std::uint16_t port, const Destination& destination) {
  Key key{address, port};
  if (auto found = listeners_.find(key); found != listeners_.end()) {
    found->second.destination = destination;
    return {};
  }
  if (full())
    return fail(ErrorKind::kSystem,
                "pinfold listens for at most " + std::to_string(most_) +
                    " names and ports at once with the open files that it may have",
                std::string(sys::kMoreDescriptors));
  PF_TRY(socket, sockets_.listen(address, port), "listening inside");
  PF_CHECK(loop_.add(socket.raw(), sys::EventLoop::Interest::kRead, [this, key] { accept(key); }), "listening inside");
  listeners_.emplace(key, Listener{std::move(socket), destination});
  return {};
}

void Listeners::close_if(const std::function<bool(const Destination&)>& unwanted) {
  for (auto each = listeners_.begin(); each != listeners_.end();) {
    if (!unwanted(each->second.destination)) {
      ++each;
      continue;
    }
    loop_.remove(each->second.socket.raw());
    each = listeners_.erase(each);
  }
}

void Listeners::accept(const Key& key) {
  for (int i = 0; i < kTurn; ++i) {
    auto found = listeners_.find(key);  // handling a connection may close this listener
    if (found == listeners_.end()) return;
    int listener = found->second.socket.raw();
    sys::Fd socket = sys::Fd::adopt(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      if (errno == EMFILE || errno == ENFILE) shed(listener);
      if (errno == ECONNABORTED || errno == EINTR) continue;
      return;
    }
    Destination destination = found->second.destination;
    if (destination.name.empty() && !destination.address)
      destination = with_own_address(socket, std::move(destination));
    accepted_(std::move(socket), std::move(destination));
  }
}

// No descriptor is left: the spare one accepts and resets the waiting client, or the listener would stay ready.
void Listeners::shed(int listener) {
  spare_.reset();
  for (int i = 0; i < kTurn; ++i) {
    sys::Fd unlucky = sys::Fd::adopt(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!unlucky.is_open()) break;
    linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(unlucky.raw(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  spare_ = open_spare();
  errno = EAGAIN;
}

}  // namespace pinfold::net
