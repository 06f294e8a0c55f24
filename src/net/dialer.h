// dialer.h: connects to the first of several addresses that answers (RFC 8305): address families alternate, a new
// attempt every 250 ms. Invariant: connects only to the given addresses; calls `done` exactly once, or never if
// destroyed before.
// Not here: resolving, checking addresses.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "net/address.h"
#include "pinfold/result.h"
#include "sys/event_loop.h"
#include "sys/fd.h"

namespace pinfold::net {

struct DialTimes {
  std::chrono::milliseconds stagger{250};
  std::chrono::milliseconds limit{30'000};
};

// IPv6 first, then alternating, so that a broken family costs one stagger (250 ms); at most kMostTried.
std::vector<Address> in_turns(const std::vector<Address>& addresses);

class Dialer {
 public:
  static constexpr std::size_t kMostTried = 12;
  struct DialResult {
    sys::Fd socket;
    Address address;
  };
  using Done = std::function<void(Result<DialResult>)>;

  Dialer(sys::EventLoop& loop, std::vector<Address> addresses, std::uint16_t port, DialTimes times, Done done);
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;
  ~Dialer();

  // May call `done` before it returns.
  void start();

 private:
  struct Attempt {
    sys::Fd socket;
    Address address;
  };
  void next();
  void ready(int fd);
  void answer(Result<DialResult> result);
  void clear();

  sys::EventLoop& loop_;
  std::vector<Address> addresses_;
  std::uint16_t port_;
  DialTimes times_;
  Done done_;
  std::size_t tried_ = 0;
  std::map<int, Attempt> attempts_;
  sys::EventLoop::TimerId stagger_ = 0;
  sys::EventLoop::TimerId limit_ = 0;
  int last_error_ = 0;
};

// Is this an address of this host? Then a connection would reach the host's own services. Queries the routing table;
// sends nothing. No value: no descriptor is left for the query.
std::optional<bool> is_own_address(const Address& address);

}  // namespace pinfold::net
