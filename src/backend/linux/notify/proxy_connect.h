// proxy_connect.h: connects sockets for a command that has no network of its own, to one port of the host's loopback and
// nowhere else: that of the run's proxy.
// Invariant: the command never connects by itself. What it asked for is read from its memory and decides only whether
// the supervisor connects, on a copy of the socket, to an address of its own; so nothing is won by changing it
// meanwhile. Never waits, whatever the socket's flags are at that moment.
// Not here: what the proxy lets through (net/proxy.h); that no other call connects (filter_rules_sockets.cc).
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

class Connector final : public CallAnswerer {
 public:
  // Empty: it can be done here. Otherwise what is missing.
  static std::string why_not();

  // `rules`: of what was tried elsewhere the report tells by which of them it is not granted.
  explicit Connector(std::vector<DomainRule> rules) : rules_(std::move(rules)) {}
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;
  ~Connector() override { close(); }

  // Until then nothing can be connected to.
  void lead_to(std::uint16_t port) { port_ = port; }
  void attach(sys::EventLoop& loop) { loop_ = &loop; }
  void close();
  bool answer(int listener, const seccomp_notif& call, SandboxEvents& events) override;

 private:
  // Whoever called is not answered before its connection stands: the proxy has been busy for a moment.
  struct Waiting {
    sys::Fd socket;
    sys::Fd listener;  // our own: the command's may be closed before we are
    seccomp_notif call;
  };
  int connect(const sys::Fd& socket) const;
  // Nothing: it goes on.
  std::optional<int> outcome(const sys::Fd& socket) const;
  void wait_for(sys::Fd socket, int listener, const seccomp_notif& call);
  void look_after(int socket);
  std::optional<Denial> denial(const seccomp_notif& call, Who who) const;

  std::vector<DomainRule> rules_;
  std::uint16_t port_ = 0;
  sys::EventLoop* loop_ = nullptr;
  std::map<int, Waiting> waiting_;  // by socket
};

}  // namespace pinfold::backend::on_linux
