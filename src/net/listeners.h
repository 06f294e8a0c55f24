// listeners.h: the listening sockets inside, and accepting from them.
// Invariant: bound to one address each unless a whole network was granted; never more than the limit; running out of
// descriptors does not make the loop spin.
// Not here: the accepted connections.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "net/connection.h"
#include "net/rules.h"
#include "sys/event_loop.h"

namespace pinfold::net {

class Listeners {
 public:
  // A Destination with neither name nor address: of a network, the address is the one that was connected to.
  using Accepted = std::function<void(sys::Fd, Destination)>;
  // Accepts in one turn, so that a flood leaves time for the others.
  static constexpr int kTurn = 64;

  Listeners(sys::EventLoop& loop, SandboxSockets& sockets, std::size_t most, Accepted accepted);
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;
  ~Listeners();

  Result<void> ensure(const Address& address, std::uint16_t port, const Destination& destination);
  void close_if(const std::function<bool(const Destination&)>& unwanted);
  std::size_t size() const { return listeners_.size(); }
  bool full() const { return listeners_.size() >= most_; }

 private:
  using Key = std::pair<Address, std::uint16_t>;
  struct Listener {
    sys::Fd socket;
    Destination destination;
  };
  void accept(const Key& key);
  void shed(int listener);

  sys::EventLoop& loop_;
  SandboxSockets& sockets_;
  std::size_t most_;
  Accepted accepted_;
  std::map<Key, Listener> listeners_;
  sys::Fd spare_;
};

}  // namespace pinfold::net
