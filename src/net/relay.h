// relay.h: the network of one sandbox: names become synthetic addresses, and connections to these are made outside and
// relayed. Invariant: only destinations that the current rules grant are reached; one loop, no thread; memory,
// descriptors and names are bounded. Not here: rules (rules.h), the sandbox's namespace, routes and resolv.conf,
// reports.
//
// The other parts: dns_service (the stub), name_table (addresses), listeners, connection (one connection), flow
// (bytes), dialer, resolver (outside), first_bytes and address_check (is the destination the granted one?).
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "net/connection.h"
#include "net/dns_service.h"
#include "net/events.h"
#include "net/listeners.h"
#include "net/name_service.h"
#include "net/name_table.h"
#include "net/resolver.h"
#include "net/rules.h"
#include "sys/event_loop.h"

namespace pinfold::net {

struct RelayOptions {
  AddressSpace space = AddressSpace::routed();
  // Where a granted "localhost:PORT" is found inside.
  std::vector<Address> localhost = {*Address::parse("127.0.0.1"), *Address::parse("::1")};
  DialTimes dial;
  std::chrono::milliseconds idle = std::chrono::hours(2);
  std::chrono::milliseconds half_closed_idle = std::chrono::minutes(10);
  std::size_t most_connections = 10'000;  // lowered to fit RLIMIT_NOFILE (sys/descriptors.h)
  std::size_t most_names = 4096;
  std::size_t most_listeners = 4096;  // lowered, too
  std::size_t most_pipes = 128;
  std::size_t most_denials = 1000;  // remembered, so that each is reported once; further ones are reported each time
  std::size_t most_waiting_names = 256;  // names with a pending approval request
  // A network of at most that many addresses gets a listener for each, a larger one a listener on all addresses of its
  // port.
  std::uint32_t most_single_addresses = 16;
  // false: no listeners; connections come only by take(), from a proxy.
  bool listens = true;
};

class Relay : private ConnectionOwner, private NameService {
 public:
  // All of these must outlive the relay. Blocks SIGPIPE in this thread during its lifetime: splice() has no flag
  // against it.
  Relay(sys::EventLoop& loop, SandboxSockets& sockets, Resolver& resolver, Events& events, RelayOptions options);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() override;

  // An error where RLIMIT_NOFILE leaves no room for listeners and connections.
  static Result<void> check_room();
  // The stub on this address, port 53 unless a test says otherwise.
  Result<void> serve_dns(const Address& address, std::uint16_t port = 53);
  // Replaces the rules; listeners and connections that they do not grant are closed, waiting names are decided again.
  // On an error new listeners may be missing; everything that must be closed is closed.
  Result<void> set_rules(std::shared_ptr<const Rules> rules);
  // A decision on a name with Decision::kWait was made.
  void reconsider(const std::string& name);

  // For a proxy (proxy.h). Calls `done` when no approval request for this name is pending; perhaps at once.
  void consider(const std::string& name, const std::function<void()>& done);
  // A proxy's client for this destination: decides, and sends one of the replies.
  void take(sys::Fd socket, Destination destination, ProxyReplies replies);

  Statistics statistics() const;
  // The name that got this address; null: none.
  const std::string* name_of(const Address& address) const { return names_.name_of(address); }
  // Ends every connection, and takes no more. Forwarded bytes still arrive.
  void close();

 private:
  using NameDone = std::function<void(const NameAnswer&)>;

  sys::EventLoop& loop() override { return loop_; }
  PipePool& pipes() override { return pipes_; }
  Resolver& resolver() override { return resolver_; }
  const Rules& rules() const override { return *rules_; }
  DialTimes dial_times() const override { return options_.dial; }
  void denied(NetDenial denial) override;
  void again(Connection& connection) override;
  void finished(Connection& connection, const ConnectionRecord& record) override;
  void look_up(const dns::Query& query, NameDone done) override;

  void accepted(sys::Fd socket, Destination destination, std::optional<ProxyReplies> replies);
  Decision decide(const Destination& destination) const;
  Decision decide(const Connection& connection) const;
  Result<void> open_listeners(const std::string& name, const NameEntry& entry);
  Result<void> open_fixed_listeners();
  bool waits(const std::string& name, std::function<void()> again);
  void decide_name(const std::string& name, NameDone done);
  void resolve_name(const std::string& name, NameDone done);
  NameAnswer give_addresses(const std::string& name, const Resolution& resolution);
  void take_turns();
  void delete_finished();
  void sweep();

  sys::EventLoop& loop_;
  SandboxSockets& sockets_;
  Resolver& resolver_;
  Events& events_;
  RelayOptions options_;
  std::shared_ptr<const Rules> rules_;
  PipePool pipes_;
  NameTable names_;
  Listeners listeners_;
  DnsService dns_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<Connection>> finished_;  // their own functions may still be running
  std::deque<std::uint64_t> turns_;
  std::unordered_set<std::uint64_t> queued_;
  std::map<std::string, std::vector<std::function<void()>>, std::less<>> waiting_;  // retried after the decision
  std::set<std::string> reported_;
  std::set<Resolver::Ticket> tickets_;
  std::uint64_t next_id_ = 1;
  std::uint64_t denials_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t turned_away_ = 0;
  std::uint64_t bytes_up_ = 0;
  std::uint64_t bytes_down_ = 0;
  sys::EventLoop::TimerId turn_timer_ = 0;
  sys::EventLoop::TimerId delete_timer_ = 0;
  sys::EventLoop::TimerId sweep_timer_ = 0;
  bool held_sigpipe_ = false;
  bool ending_ = false;
};

}  // namespace pinfold::net
