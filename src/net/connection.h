// connection.h: one connection of a sandboxed program: resolve, check, connect, compare the first bytes with the name,
// relay. Invariant: no byte of the client leaves before its first bytes have been checked; the address checked is the
// one connected. Not here: accepting, rules, use of the record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/dialer.h"
#include "net/events.h"
#include "net/flow.h"
#include "net/resolver.h"
#include "net/rules.h"
#include "sys/event_loop.h"

namespace pinfold::net {

// The destination of a listener.
struct Destination {
  std::string name;                // empty: by address
  std::optional<Address> address;  // granted as an address; none for a name
  std::uint16_t port = 0;

  bool is_localhost() const { return name == "localhost"; }
  bool operator==(const Destination&) const = default;
};

// The replies to a proxy's client for success and failure, and the first bytes for the server.
struct ProxyReplies {
  std::string connected;
  std::function<std::string(End how, const std::string& why)> failed;
  std::string to_server;  // the request, already compared with the name; empty: the client's bytes are checked
};

// Sends the reply and closes without a reset, so that the client receives the reply.
void refuse(const sys::Fd& client, const std::string& reply);

class Connection;

// The owner of the connections.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual sys::EventLoop& loop() = 0;
  virtual PipePool& pipes() = 0;
  virtual Resolver& resolver() = 0;
  virtual const Rules& rules() const = 0;
  virtual DialTimes dial_times() const = 0;
  virtual void denied(NetDenial denial) = 0;
  // The connection used its turn: call work() again after the others.
  virtual void again(Connection& connection) = 0;
  // The last call of a connection. It must outlive this call.
  virtual void finished(Connection& connection, const ConnectionRecord& record) = 0;
};

class Connection {
 public:
  // A hello arrives in a few segments; one in hundreds is an attack.
  static constexpr int kMostChecks = 256;

  Connection(ConnectionOwner& owner, std::uint64_t id, sys::Fd inside, Destination destination,
             std::optional<ProxyReplies> replies = std::nullopt);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void start();
  void work();
  // Resets both sides; but bytes that the program sent before it closed its side still arrive.
  void end(End how);

  std::uint64_t id() const { return id_; }
  bool done() const { return done_; }
  const Destination& destination() const { return destination_; }
  const std::optional<Address>& address() const { return address_; }
  sys::Clock::time_point last_active() const { return last_active_; }
  bool has_sent_all() const { return up_.ended(); }
  bool half_closed() const { return up_.ended() || down_.ended(); }
  std::uint64_t bytes_up() const { return up_.bytes(); }
  std::uint64_t bytes_down() const { return down_.bytes(); }

 private:
  void resolved(const Resolution& resolution);
  void dial(std::vector<Address> addresses);
  void connected(Result<Dialer::DialResult> result);
  void inside_ready(sys::EventLoop::Ready ready);
  void outside_ready(sys::EventLoop::Ready ready);
  void check_client_bytes();
  bool send_proxy_replies();
  void close(End how);
  bool has_name_to_check() const { return !destination_.name.empty() && !destination_.is_localhost(); }

  ConnectionOwner& owner_;
  std::uint64_t id_;
  sys::Fd inside_;
  sys::Fd outside_;
  Destination destination_;
  std::optional<ProxyReplies> proxy_replies_;  // until one was sent
  std::optional<Address> address_;
  Resolver::Ticket ticket_ = 0;
  std::unique_ptr<Dialer> dialer_;
  Flow up_;
  Flow down_;
  sys::Clock::time_point began_;
  sys::Clock::time_point last_active_;
  int checks_ = 0;
  bool unchecked_bytes_ = false;  // bytes arrived since the last check
  bool checked_ = false;
  bool done_ = false;
};

}  // namespace pinfold::net
