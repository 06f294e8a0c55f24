// relay.h: the network of one sandbox: names become synthetic addresses, and connections to these are made outside and
// relayed. Invariant: nothing is reached that the rules do not grant at that moment; one loop, no thread; memory,
// descriptors and names are bounded. Not here: rules (rules.h), the sandbox's namespace, routes and resolv.conf,
// reports.
//
// The other rooms of this house: dns_service (the stub), name_table (addresses), listeners, connection (one life), flow
// (bytes), dialer, resolver (outside), first_bytes and vet (is the destination what was granted?).
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
  std::size_t most_connections = 10'000;  // lowered to what RLIMIT_NOFILE has room for (sys/descriptors.h)
  std::size_t most_names = 4096;
  std::size_t most_listeners = 4096;  // lowered, too
  std::size_t most_pipes = 128;
  std::size_t most_denials = 1000;       // that are remembered, to be told once; those beyond are told each time
  std::size_t most_waiting_names = 256;  // names that somebody is being asked about
  // A network of at most that many addresses gets a listener for each, a larger one a listener on all addresses of its
  // port.
  std::uint32_t most_single_addresses = 16;
  // Without: only what take() is given, as a proxy does.
  bool listens = true;
};

class Relay : private ConnectionOwner, private NameService {
 public:
  // All of these must outlive the relay. Holds SIGPIPE back in this thread as long as it lives: splice() has no flag
  // against it.
  Relay(sys::EventLoop& loop, Inside& inside, Resolver& resolver, Events& events, RelayOptions options);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() override;

  // An error where RLIMIT_NOFILE leaves no room for listeners and connections.
  static Result<void> check_room();
  // The stub on this address, port 53 unless a test says otherwise.
  Result<void> serve_dns(const Address& address, std::uint16_t port = 53);
  // From now on these; listeners and connections that they do not grant are closed, names that wait are decided again.
  // What was put in place may be incomplete when this fails; everything is closed that should be.
  Result<void> set_rules(std::shared_ptr<const Rules> rules);
  // The answer to a Decision::kWait is there.
  void reconsider(const std::string& name);

  // For a proxy (proxy.h). Calls `done` when nobody needs to be asked about this name any more; perhaps at once.
  void consider(const std::string& name, const std::function<void()>& done);
  // A client that wants to go there: decided about, and told by its greeting.
  void take(sys::Fd socket, Destination destination, Greeting greeting);

  Statistics statistics() const;
  // The name that got this address; null: none.
  const std::string* name_of(const Address& address) const { return names_.name_of(address); }
  // Ends every connection, and takes no more. What was handed on still arrives.
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

  void accepted(sys::Fd socket, Destination destination, std::optional<Greeting> greeting);
  Decision decide(const Destination& destination) const;
  Decision decide(const Connection& connection) const;
  Result<void> open_listeners(const std::string& name, const NameEntry& entry);
  Result<void> open_fixed_listeners();
  bool waits(const std::string& name, std::function<void()> again);
  void decide_name(const std::string& name, NameDone done);
  void resolve_name(const std::string& name, NameDone done);
  NameAnswer give_addresses(const std::string& name, const Resolution& resolution);
  void take_turns();
  void bury();
  void sweep();

  sys::EventLoop& loop_;
  Inside& inside_;
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
  std::map<std::string, std::vector<std::function<void()>>, std::less<>> waiting_;  // what to try again then
  std::set<std::string> told_;
  std::set<Resolver::Ticket> tickets_;
  std::uint64_t next_id_ = 1;
  std::uint64_t denials_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t turned_away_ = 0;
  std::uint64_t bytes_up_ = 0;
  std::uint64_t bytes_down_ = 0;
  sys::EventLoop::TimerId turn_timer_ = 0;
  sys::EventLoop::TimerId bury_timer_ = 0;
  sys::EventLoop::TimerId sweep_timer_ = 0;
  bool held_sigpipe_ = false;
  bool ending_ = false;
};

}  // namespace pinfold::net
