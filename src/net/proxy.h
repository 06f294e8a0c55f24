// proxy.h: the network of a sandbox that has no network of its own: one port of the host's loopback, where clients that
// know the token of this run ask for hosts by name (HTTP CONNECT, absolute URLs, SOCKS5). The same rules, the same
// checks of names and addresses and the same relaying as on Linux with a network namespace.
// Invariant: without the token nothing is asked for, and nothing outside is touched; a client that says nothing is
// closed after a while; clients are bounded.
// Not here: the messages (proxy_request.h), deciding and relaying (relay.h); that the sandbox can reach this port and
// nothing else is its backend's work.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/proxy_request.h"
#include "net/relay.h"
#include "sys/event_loop.h"

namespace pinfold::net {

struct ProxyOptions {
  std::chrono::milliseconds patience = std::chrono::seconds(20);  // until a client has said where it wants to go
  std::size_t most_clients = 1000;                                // that have not said it yet
};

class Proxy {
 public:
  // Both must outlive it. The relay is made with `listens = false`.
  Proxy(sys::EventLoop& loop, Relay& relay, std::string token, ProxyOptions options = {});
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();

  // Listens on 127.0.0.1; port 0: one that is free.
  Result<void> start(std::uint16_t port = 0);
  std::uint16_t port() const { return port_; }

 private:
  using Id = std::uint64_t;
  struct Client {
    sys::Fd socket;
    ProxyStage stage = ProxyStage::kFirst;
    sys::EventLoop::TimerId limit = 0;
    bool asked = false;  // and an answer is waited for
  };
  void accept();
  void read(Id id);
  void hand_on(Id id, const ProxyStep& step);
  sys::Fd release(Id id);

  sys::EventLoop& loop_;
  Relay& relay_;
  std::string token_;
  ProxyOptions options_;
  sys::Fd listener_;
  std::uint16_t port_ = 0;
  std::map<Id, Client> clients_;
  Id next_ = 1;
  std::shared_ptr<Proxy*> self_ = std::make_shared<Proxy*>(this);  // for what the relay calls later, if at all
};

// What programs are told by their environment: HTTP_PROXY and its kin in both spellings.
std::vector<std::pair<std::string, std::string>> proxy_variables(std::uint16_t port, const std::string& token);

}  // namespace pinfold::net
