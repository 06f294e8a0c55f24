// relay.cc: connections, rules and limits. (Names are in relay_names.cc.)
// Invariant: a connection is decided about when it is accepted and each time the rules change.
#include "net/relay.h"

#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/try.h"
#include "sys/descriptors.h"

namespace pinfold::net {
namespace {

// Grants nothing: the rules until set_rules().
class NoRules : public Rules {
 public:
  Decision decide(std::string_view) const override { return {}; }
  Decision decide(std::string_view, std::uint16_t) const override { return {}; }
  Decision decide(const Address&, std::uint16_t) const override { return {}; }
  std::vector<std::uint16_t> ports(std::string_view) const override { return {}; }
  std::vector<AddressGrant> addresses() const override { return {}; }
};

sigset_t only_sigpipe() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGPIPE);
  return set;
}

// Descriptors for everything except connections: the supervisor, pipes, attempts to connect. Of a limit below twice
// that number, half.
constexpr std::size_t kReserved = 64;
// Below this there is no room for a name's listeners and a few connections.
constexpr std::size_t kLeastRoom = 24;

std::size_t room_for_network() {
  const std::size_t limit = sys::descriptor_limit();
  return limit - std::min(kReserved, limit / 2);
}

RelayOptions fitted(RelayOptions options) {
  std::size_t room = room_for_network();
  // A quarter of a small limit, and a smaller part of a large one: there connections need more.
  std::size_t listeners = std::max(room / 16, std::min<std::size_t>(room / 4, 512));
  options.most_pipes = std::min(options.most_pipes, room / 16);
  options.most_listeners = std::min(options.most_listeners, listeners);
  room -= 2 * options.most_pipes + options.most_listeners;
  options.most_connections = std::min(options.most_connections, room / 2);
  return options;
}

}  // namespace

Relay::Relay(sys::EventLoop& loop, SandboxSockets& sockets, Resolver& resolver, Events& events, RelayOptions options)
    : loop_(loop),
      sockets_(sockets),
      resolver_(resolver),
      events_(events),
      options_(fitted(std::move(options))),
      rules_(std::make_shared<NoRules>()),
      pipes_(options_.most_pipes),
      names_(options_.space, options_.most_names),
      listeners_(loop, sockets, options_.most_listeners,
                 [this](sys::Fd socket, Destination destination) {
                   accepted(std::move(socket), std::move(destination), std::nullopt);
                 }),
      dns_(loop, *this) {
  sigset_t pipe = only_sigpipe();
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  held_sigpipe_ = ::sigismember(&before, SIGPIPE) == 0;
  sweep();
}

Result<void> Relay::check_room() {
  if (room_for_network() >= kLeastRoom) return {};
  return tl::unexpected<Error>(sys::too_few_descriptors("the sandbox's network"));
}

void Relay::close() {
  if (std::exchange(ending_, true)) return;
  for (Resolver::Ticket each : tickets_) resolver_.cancel(each);
  for (auto& [id, each] : connections_) each->end(End::kRelayEnded);
  connections_.clear();
  finished_.clear();
}

Relay::~Relay() {
  close();
  for (auto timer : {turn_timer_, delete_timer_, sweep_timer_})
    if (timer != 0) loop_.cancel(timer);
  if (!held_sigpipe_) return;
  sigset_t pipe = only_sigpipe();
  timespec none{};
  while (::sigtimedwait(&pipe, nullptr, &none) == SIGPIPE) {
  }
  ::pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
}

Result<void> Relay::serve_dns(const Address& address, std::uint16_t port) {
  PF_TRY(datagrams, sockets_.datagram(address, port), "serving DNS");
  PF_TRY(streams, sockets_.listen(address, port), "serving DNS");
  PF_CHECK(dns_.serve_datagrams(std::move(datagrams)));
  return dns_.serve_streams(std::move(streams));
}

Decision Relay::decide(const Destination& destination) const {
  if (!destination.name.empty()) return rules_->decide(destination.name, destination.port);
  if (destination.address) return rules_->decide(*destination.address, destination.port);
  // A network's listener: wanted while there is such a grant.
  for (const AddressGrant& each : rules_->addresses())
    if (each.port == destination.port) return {Decision::Outcome::kAllowed, "", ""};
  return {};
}

Decision Relay::decide(const Connection& connection) const {
  Decision decision = decide(connection.destination());
  const auto& address = connection.address();
  if (decision.outcome != Decision::Outcome::kAllowed || !address || connection.destination().is_localhost())
    return decision;
  return range_of(*address) == Range::kPublic ? decision : rules_->decide(*address, connection.destination().port);
}

void Relay::take(sys::Fd socket, Destination destination, ProxyReplies replies) {
  if (!ending_) accepted(std::move(socket), std::move(destination), std::move(replies));
}

void Relay::accepted(sys::Fd socket, Destination destination, std::optional<ProxyReplies> replies) {
  Decision decision = decide(destination);
  NetDenial denial{.reason = destination.address || !replies ? NetDenial::Reason::kAddress : NetDenial::Reason::kName,
                   .name = destination.name,
                   .address = destination.address,
                   .port = destination.port,
                   .why = decision.why,
                   .allow_with = decision.allow_with};
  bool allowed = decision.outcome == Decision::Outcome::kAllowed;
  if (allowed && connections_.size() >= options_.most_connections) {
    ++turned_away_;
    denial.reason = NetDenial::Reason::kLimit;
    denial.why = "pinfold relays at most " + std::to_string(options_.most_connections) +
                 " connections at once with the open files that it may have; " + std::string(sys::kMoreDescriptors);
    denial.allow_with.clear();
    allowed = false;
  }
  if (!allowed) {
    if (replies) {
      const std::string way = denial.allow_with.empty() ? "" : "; allow it with " + denial.allow_with;
      refuse(socket, replies->failed(End::kDenied, denial.why + way));
    } else {
      // A reset reports the failure at once.
      linger now{.l_onoff = 1, .l_linger = 0};
      ::setsockopt(socket.raw(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    return denied(std::move(denial));
  }
  ++accepted_;
  std::uint64_t id = next_id_++;
  ConnectionOwner& owner = *this;
  auto connection =
      std::make_unique<Connection>(owner, id, std::move(socket), std::move(destination), std::move(replies));
  Connection& started = *connection;
  connections_.emplace(id, std::move(connection));
  started.start();
}

void Relay::denied(NetDenial denial) {
  ++denials_;
  // A loop that repeats the same attempt must not flood the report, nor a program that invents names.
  std::string key =
      std::to_string(static_cast<int>(denial.reason)) + " " + denial.name + " " + std::to_string(denial.port) + " ";
  key += denial.reason == NetDenial::Reason::kLimit ? ""
                                                    : (denial.address ? denial.address->text() : "") + " " + denial.why;
  const bool is_full = reported_.size() >= options_.most_denials;
  if (is_full ? reported_.contains(key) : !reported_.insert(std::move(key)).second) return;
  events_.denied(denial);
}

void Relay::again(Connection& connection) {
  // An event may come between two turns; it must not queue the connection twice.
  if (!queued_.insert(connection.id()).second) return;
  turns_.push_back(connection.id());
  if (turn_timer_ == 0) turn_timer_ = loop_.after(std::chrono::milliseconds(0), [this] { take_turns(); });
}

void Relay::take_turns() {
  turn_timer_ = 0;
  auto turns = std::exchange(turns_, {});
  queued_.clear();
  for (std::uint64_t id : turns)
    if (auto found = connections_.find(id); found != connections_.end()) found->second->work();
}

void Relay::finished(Connection& connection, const ConnectionRecord& record) {
  bytes_up_ += record.bytes_up;
  bytes_down_ += record.bytes_down;
  events_.closed(record);
  if (ending_) return;
  auto found = connections_.find(connection.id());
  if (found == connections_.end()) return;
  finished_.push_back(std::move(found->second));
  connections_.erase(found);
  if (delete_timer_ == 0) delete_timer_ = loop_.after(std::chrono::milliseconds(0), [this] { delete_finished(); });
}

void Relay::delete_finished() {
  delete_timer_ = 0;
  finished_.clear();
}

// One timer for all: time-outs of this length need not be exact.
void Relay::sweep() {
  auto now = sys::Clock::now();
  std::vector<Connection*> idle;
  for (auto& [id, each] : connections_) {
    auto limit = each->half_closed() ? options_.half_closed_idle : options_.idle;
    if (each->last_active() + limit <= now) idle.push_back(each.get());
  }
  for (Connection* each : idle) each->end(End::kIdle);
  auto shortest = std::min(options_.idle, options_.half_closed_idle);
  auto pause = std::clamp(shortest / 4, std::chrono::milliseconds(50), std::chrono::milliseconds(30'000));
  sweep_timer_ = loop_.after(pause, [this] { sweep(); });
}

Result<void> Relay::set_rules(std::shared_ptr<const Rules> rules) {
  rules_ = std::move(rules);
  auto refused = [](const Decision& decision) { return decision.outcome != Decision::Outcome::kAllowed; };
  listeners_.close_if([&](const Destination& each) { return refused(decide(each)); });
  std::vector<Connection*> unwanted;
  for (auto& [id, each] : connections_)
    if (refused(decide(*each))) unwanted.push_back(each.get());
  for (Connection* each : unwanted) each->end(End::kGrantRemoved);
  // All steps run; the first error is returned.
  Result<void> result;
  if (options_.listens) result = open_fixed_listeners();
  for (const auto& [name, entry] : names_.names()) {
    auto opened = open_listeners(name, entry);
    if (!opened && result) result = std::move(opened);
  }
  std::vector<std::string> waiting;
  for (const auto& [name, each] : waiting_) waiting.push_back(name);
  for (const std::string& name : waiting) reconsider(name);
  return result;
}

Statistics Relay::statistics() const {
  Statistics now{.connections = connections_.size(),
                 .most_connections = options_.most_connections,
                 .accepted = accepted_,
                 .turned_away = turned_away_,
                 .listeners = listeners_.size(),
                 .names = names_.names().size(),
                 .pipes = pipes_.made(),
                 .bytes_up = bytes_up_,
                 .bytes_down = bytes_down_,
                 .denials = denials_,
                 .queries = dns_.queries(),
                 .waiting_queries = dns_.waiting()};
  for (const auto& [id, each] : connections_) {
    now.sending += each->has_sent_all() ? 0U : 1U;
    now.bytes_up += each->bytes_up();
    now.bytes_down += each->bytes_down();
  }
  return now;
}

}  // namespace pinfold::net
