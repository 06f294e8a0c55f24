// dialer.h: connects to the first of several addresses that answers (RFC 8305): families take turns, a new try every
// 250 ms. Invariant: connects only to the addresses it was given; exactly one answer; destroyed, it answers no more.
// Not here: resolving, deciding which addresses are good.
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

// IPv6 first, then by turns, so that one broken family costs one stagger; at most kMostTried.
std::vector<Address> in_turns(const std::vector<Address>& addresses);

class Dialer {
 public:
  static constexpr std::size_t kMostTried = 12;
  struct Connected {
    sys::Fd socket;
    Address address;
  };
  using Done = std::function<void(Result<Connected>)>;

  Dialer(sys::EventLoop& loop, std::vector<Address> addresses, std::uint16_t port, DialTimes times, Done done);
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;
  ~Dialer();

  // May answer at once.
  void start();

 private:
  struct Attempt {
    sys::Fd socket;
    Address address;
  };
  void next();
  void ready(int fd);
  void answer(Result<Connected> result);
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

// Is this one of the addresses of this host? Then a connection would reach its own services. Asks the routing table;
// sends nothing.
// Nothing: there is no descriptor to find out with.
std::optional<bool> is_own_address(const Address& address);

}  // namespace pinfold::net
