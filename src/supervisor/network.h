// network.h: the network of a sandbox with rules by name: connects the relay to the sandbox and to the report.
// Invariant: the command does not start before the name server and the granted ports of addresses listen.
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
#include "pinfold/approval.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

// Requests approval of a name that no rule grants; calls `done` with the result.
using AskName = std::function<void(const Denial& denial, std::function<void(bool granted)> done)>;

class NetworkByName final : private net::SandboxSockets, private net::Events {
 public:
  using Denied = std::function<void(Denial)>;

  // `ask`: null without live approvals.
  NetworkByName(sys::EventLoop& loop, backend::Sandbox& sandbox, const Network& network, Denied denied, AskName ask);
  ~NetworkByName() override;

  Result<void> start();
  // Whether all data that the sandboxed programs sent has been passed on, including that of ended programs.
  bool is_drained() const { return relay_.statistics().sending == 0; }
  // Whether the rules deny an observed call. Replaces a synthetic address in it by its name.
  bool is_denied(Denial& seen) const;
  // Applies a grant. kOnce: until its connections have ended.
  Result<void> grant(const Grant& grant, ApprovalDecision decision);
  // Removes a grant and closes its connections.
  Result<void> take_back(const Grant& grant);
  // Called for each connection that has ended.
  std::function<void(const Connection& connection)> connected;
  // Writes the relayed connections into the report.
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
  std::vector<DomainRule> rules_;  // the plan's rules and live grants
  std::set<std::string> asked_;    // names with a pending approval request
  std::set<std::string> refused_;
  std::vector<std::string> once_;  // rules_ that are granted once
  std::set<sys::EventLoop::TimerId> timers_;
  Denied denied_;
  std::set<std::string> limits_;  // notes for the report
  std::vector<Connection> connections_;
  std::uint64_t more_connections_ = 0;
  net::AresResolver resolver_;
  net::Relay relay_;
  std::optional<net::Proxy> proxy_;  // for sandboxes without a network namespace
};

}  // namespace pinfold::supervisor
