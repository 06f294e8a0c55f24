// network.h: the network of one run where it is granted by name: the relay outside, its sockets inside, what it tells.
// Invariant: nothing of the command's runs before the name server and the granted ports of addresses listen.
// Not here: relaying (src/net), routes (backend).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "backend/backend.h"
#include "net/relay.h"
#include "net/resolver.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"

namespace pinfold::supervisor {

class NetworkByName final : private net::Inside, private net::Events {
 public:
  using Denied = std::function<void(Denial)>;

  NetworkByName(sys::EventLoop& loop, backend::Sandbox& sandbox, const Network& network, Denied denied);

  Result<void> start();
  // Has everything that the programs sent been handed on? What they leave behind when they end still arrives.
  bool is_drained() const { return relay_.statistics().sending == 0; }
  // Of what was seen being tried: is it beyond the rules? Made-up addresses get their names back.
  bool is_denied(Denial& seen) const;
  // What was relayed, into the report.
  void conclude(Report& report);

 private:
  Result<sys::Fd> listen(const net::Address& address, std::uint16_t port) override;
  Result<sys::Fd> datagram(const net::Address& address, std::uint16_t port) override;
  void denied(const net::NetDenial& denial) override;
  void closed(const net::ConnectionRecord& record) override;

  backend::Sandbox& sandbox_;
  const Network& network_;
  Denied denied_;
  std::vector<Connection> connections_;
  std::uint64_t more_connections_ = 0;
  net::AresResolver resolver_;
  net::Relay relay_;
};

}  // namespace pinfold::supervisor
