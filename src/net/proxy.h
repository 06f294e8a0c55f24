// proxy.h: the network of a sandbox that has no network of its own: one port of the host's loopback, where clients with
// the token of this run request hosts by name (HTTP CONNECT, absolute URLs, SOCKS5). The same rules, the same
// checks of names and addresses and the same relaying as on Linux with a network namespace.
// Invariant: without the token no name is resolved and no connection is made; a client that sends no request is
// closed after 20 s; the number of clients is bounded.
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
  std::chrono::milliseconds patience = std::chrono::seconds(20);  // until a client has sent its request
  std::size_t most_clients = 1000;                                // that have not sent it yet
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
    bool handed_on = false;  // the request was handed to the relay
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
  std::shared_ptr<Proxy*> self_ = std::make_shared<Proxy*>(this);  // for callbacks of the relay
};

// The environment variables for programs: HTTP_PROXY and the like, in upper and lower case.
std::vector<std::pair<std::string, std::string>> proxy_variables(std::uint16_t port, const std::string& token);

}  // namespace pinfold::net
