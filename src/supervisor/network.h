// network.h: the network of one run where it is granted by name: the relay outside, its sockets inside, what it tells.
// Invariant: nothing of the command's runs before the name server and the granted ports of addresses listen.
// Not here: relaying (src/net), routes (backend).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "net/proxy.h"
#include "net/relay.h"
#include "net/resolver.h"
#include "pinfold/plan.h"
#include "pinfold/question.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

// Names that nobody granted: who asks calls answered() when there is an answer.
using AskName = std::function<void(const Denial& denial, std::function<void(bool granted)> done)>;

class NetworkByName final : private net::Inside, private net::Events {
 public:
  using Denied = std::function<void(Denial)>;

  // `ask`: null if nobody is asked.
  NetworkByName(sys::EventLoop& loop, backend::Sandbox& sandbox, const Network& network, Denied denied, AskName ask);
  ~NetworkByName() override;

  Result<void> start();
  // Has everything that the programs sent been handed on? What they leave behind when they end still arrives.
  bool is_drained() const { return relay_.statistics().sending == 0; }
  // Of what was seen being tried: is it beyond the rules? Made-up addresses get their names back.
  bool is_denied(Denial& seen) const;
  // From now on, or (kOnce) until the connections that come of it have ended.
  Result<void> grant(const Grant& grant, Answer answer);
  // Its connections are closed.
  Result<void> take_back(const Grant& grant);
  // Told of each connection that has ended.
  std::function<void(const Connection& connection)> connected;
  // What was relayed, into the report.
  void conclude(Report& report);

 private:
  Result<sys::Fd> listen(const net::Address& address, std::uint16_t port) override;
  Result<sys::Fd> datagram(const net::Address& address, std::uint16_t port) override;
  void denied(const net::NetDenial& denial) override;
  void closed(const net::ConnectionRecord& record) override;

  class Rules;
  Result<void> put_rules();
  void later(std::chrono::milliseconds delay, std::function<void()> handler);
  void ask_about(const std::string& name, const std::string& why);
  void end_once_rules();

  sys::EventLoop& loop_;
  backend::Sandbox& sandbox_;
  const Network& network_;
  AskName ask_;
  std::vector<DomainRule> rules_;  // the plan's and what was granted since
  std::set<std::string> asked_;    // names that somebody is being asked about
  std::set<std::string> refused_;
  std::vector<std::string> once_;  // those of them that hold for one use
  std::set<sys::EventLoop::TimerId> timers_;
  Denied denied_;
  std::set<std::string> limits_;  // notes for the report
  std::vector<Connection> connections_;
  std::uint64_t more_connections_ = 0;
  net::AresResolver resolver_;
  net::Relay relay_;
  std::optional<net::Proxy> proxy_;  // for sandboxes without a network of their own
};

}  // namespace pinfold::supervisor
