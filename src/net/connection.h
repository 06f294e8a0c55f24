// connection.h: one connection of a program inside: resolve, check, connect, hold the first bytes against the name,
// relay. Invariant: no byte of the client leaves before its first bytes have been judged; the address checked is the
// one connected. Not here: accepting, rules, what happens to the record.
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

// Where a listener leads.
struct Destination {
  std::string name;                // empty: by address
  std::optional<Address> address;  // granted as such; none for a name
  std::uint16_t port = 0;

  bool is_localhost() const { return name == "localhost"; }
  bool operator==(const Destination&) const = default;
};

// What a proxy's client hears when the connection stands, and when it does not; and what the server gets first.
struct Greeting {
  std::string connected;
  std::function<std::string(End how, const std::string& why)> failed;
  std::string to_server;  // its request, already held against the name; empty: what the client sends is judged
};

// Tells the client, and ends in order, so that it hears that.
void refuse(const sys::Fd& client, const std::string& reply);

class Connection;

// Whoever has the connections.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual sys::EventLoop& loop() = 0;
  virtual PipePool& pipes() = 0;
  virtual Resolver& resolver() = 0;
  virtual const Rules& rules() const = 0;
  virtual DialTimes dial_times() const = 0;
  virtual void denied(NetDenial denial) = 0;
  // Its turn is used up: call work() after the others.
  virtual void again(Connection& connection) = 0;
  // The last call of a connection. It must outlive this call.
  virtual void finished(Connection& connection, const ConnectionRecord& record) = 0;
};

class Connection {
 public:
  // A hello comes in a few segments; one in hundreds is a game.
  static constexpr int kMostLooks = 256;

  Connection(ConnectionOwner& owner, std::uint64_t id, sys::Fd inside, Destination destination,
             std::optional<Greeting> greeting = std::nullopt);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void start();
  void work();
  // With a reset to both sides; but what the program has sent and closed is left to arrive.
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
  void connected(Result<Dialer::Connected> result);
  void inside_ready(sys::EventLoop::Ready ready);
  void outside_ready(sys::EventLoop::Ready ready);
  void judge();
  bool greet();
  void close(End how);
  bool has_name_to_check() const { return !destination_.name.empty() && !destination_.is_localhost(); }

  ConnectionOwner& owner_;
  std::uint64_t id_;
  sys::Fd inside_;
  sys::Fd outside_;
  Destination destination_;
  std::optional<Greeting> greeting_;  // until it was said
  std::optional<Address> address_;
  Resolver::Ticket ticket_ = 0;
  std::unique_ptr<Dialer> dialer_;
  Flow up_;
  Flow down_;
  sys::Clock::time_point began_;
  sys::Clock::time_point last_active_;
  int looks_ = 0;
  bool inside_news_ = false;  // something to read came since the last look
  bool judged_ = false;
  bool done_ = false;
};

}  // namespace pinfold::net
