// proxy_connect.h: connects sockets for a command without a network namespace, only to the port of the run's proxy on
// the host's loopback.
// Invariant: the command never connects by itself. The address in the command's memory only decides whether the
// supervisor connects; the supervisor connects a copy of the socket to its own constant address, so the command gains
// nothing by changing its memory. Never blocks, whether or not the socket has O_NONBLOCK.
// Not here: the proxy's rules (net/proxy.h); refusing other calls that connect (argument_checks_sockets.cc).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/linux/notify/handler.h"
#include "backend/linux/notify/trapped_call.h"
#include "pinfold/network.h"
#include "sys/event_loop.h"
#include "sys/fd.h"

namespace pinfold::backend::on_linux {

class ProxyConnector final : public CallHandler {
 public:
  // Empty: the host allows it. Otherwise the reason why not.
  static std::string why_unavailable();

  // `rules`: the report names the rule that refuses a connection to another address.
  explicit ProxyConnector(std::vector<DomainRule> rules) : rules_(std::move(rules)) {}
  ProxyConnector(const ProxyConnector&) = delete;
  ProxyConnector& operator=(const ProxyConnector&) = delete;
  ~ProxyConnector() override { close(); }

  // Before this call every connect is refused.
  void set_port(std::uint16_t port) { port_ = port; }
  void attach(sys::EventLoop& loop) { loop_ = &loop; }
  void close();
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;

 private:
  // A connect on a blocking socket, whose connection the proxy has not accepted yet.
  struct PendingConnect {
    sys::Fd socket;
    sys::Fd listener;  // a duplicate: the command's listener may be closed first
    seccomp_notif call;
  };
  int connect(const sys::Fd& socket) const;
  // 0 or an errno; nullopt: still connecting.
  std::optional<int> outcome(const sys::Fd& socket) const;
  void wait_for(sys::Fd socket, int listener, const seccomp_notif& call);
  void check_connection(int socket);
  std::optional<Denial> denial(const seccomp_notif& call, CallerRef caller) const;

  std::vector<DomainRule> rules_;
  std::uint16_t port_ = 0;
  sys::EventLoop* loop_ = nullptr;
  std::map<int, PendingConnect> waiting_;  // by socket
};

}  // namespace pinfold::backend::on_linux
