// network.cc: binds the relay to a sandbox and a report.
#include "supervisor/network.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/domain.h"
#include "base/try.h"
#include "net/domain_rules.h"
#include "sys/files.h"

namespace pinfold::supervisor {
namespace {

constexpr std::size_t kMostConnections = 1000;
constexpr std::size_t kMostLimits = 20;
// A kOnce grant ends when unused for this long, and this long after its last connection.
constexpr auto kUnused = std::chrono::seconds(60);
constexpr auto kLinger = std::chrono::seconds(1);

net::ResolverOptions resolver_options(const Network& network) {
  net::ResolverOptions options;
  for (const HostAddresses& each : network.hosts)
    for (const IpAddress& address : each.addresses) options.hosts[each.name].push_back(net::Address(address));
  return options;
}

net::RelayOptions relay_options(const backend::Sandbox& sandbox) {
  net::RelayOptions options;
  options.listens = !sandbox.wants_proxy();
  return options;
}

std::string text_of(const std::optional<net::Address>& address) { return address ? address->text() : std::string(); }

// "example.org:443", "10.0.0.1:80", or the name alone after a mere DNS query.
std::string resource(const net::NetDenial& denial) {
  const std::string port = denial.port == 0 ? "" : ":" + std::to_string(denial.port);
  if (!denial.name.empty() || !denial.address) return denial.name + port;
  return denial.port == 0 ? denial.address->text() : net::with_port(*denial.address, denial.port);
}

}  // namespace

// Applies the rules; a DNS query for a name without a rule waits for an approval.
class NetworkByName::Rules final : public net::Rules {
 public:
  explicit Rules(NetworkByName& owner) : owner_(owner), rules_(owner.rules_) {}

  net::Decision decide(std::string_view name) const override {
    net::Decision decision = rules_.decide(name);
    const std::string text(name);
    if (decision.outcome != net::Decision::Outcome::kDenied || !owner_.ask_ || owner_.refused_.contains(text))
      return decision;
    // No request if a rule denies the name, or for a name without a dot, which is a local host name or does not exist.
    const DomainRule* said = pinfold::decide(owner_.rules_, name, kUsualPorts.back()).rule;
    if ((said != nullptr && said->action == RuleAction::kDeny) || name.find('.') == std::string_view::npos)
      return decision;
    owner_.ask_about(text, decision.why);
    decision.outcome = net::Decision::Outcome::kWait;
    return decision;
  }
  net::Decision decide(std::string_view name, std::uint16_t port) const override { return rules_.decide(name, port); }
  net::Decision decide(const net::Address& address, std::uint16_t port) const override {
    return rules_.decide(address, port);
  }
  std::vector<std::uint16_t> ports(std::string_view name) const override { return rules_.ports(name); }
  std::vector<net::AddressGrant> addresses() const override { return rules_.addresses(); }

 private:
  NetworkByName& owner_;
  net::DomainRules rules_;
};

NetworkByName::NetworkByName(sys::EventLoop& loop, backend::Sandbox& sandbox, const Network& network, Denied denied,
                             AskName ask)
    : loop_(loop),
      sandbox_(sandbox),
      network_(network),
      ask_(std::move(ask)),
      rules_(network.domains),
      denied_(std::move(denied)),
      resolver_(loop, resolver_options(network)),
      relay_(loop, *this, resolver_, *this, relay_options(sandbox)) {}

NetworkByName::~NetworkByName() {
  for (const auto timer : timers_) loop_.cancel(timer);
}

Result<void> NetworkByName::put_rules() { return relay_.set_rules(std::make_shared<Rules>(*this)); }

// Deferred: the relay is in the middle of a call.
void NetworkByName::ask_about(const std::string& name, const std::string& why) {
  if (!asked_.insert(name).second) return;
  later(std::chrono::milliseconds(0), [this, name, why] {
    Denial denial;
    denial.operation = "connect";
    denial.resource = denial.host = name;
    denial.rule = why;
    denial.grant = Grant{Grant::Kind::kNetwork, name};
    denial.source = DenialSource::kObserved;
    ask_(denial, [this, name](bool granted) {
      asked_.erase(name);
      if (!granted) refused_.insert(name);
      relay_.reconsider(name);
    });
  });
}

void NetworkByName::later(std::chrono::milliseconds delay, std::function<void()> handler) {
  auto id = std::make_shared<sys::EventLoop::TimerId>();
  *id = loop_.after(delay, [this, id, handler = std::move(handler)] {
    timers_.erase(*id);
    handler();
  });
  timers_.insert(*id);
}

Result<void> NetworkByName::grant(const Grant& grant, ApprovalDecision decision) {
  PF_TRY(rule,
         parse_rule(grant.resource, {Source::kFlag, decision == ApprovalDecision::kOnce ? "granted once" : "granted"}));
  rules_.push_back(std::move(rule));
  if (decision == ApprovalDecision::kOnce) {
    once_.push_back(print_rule(rules_.back()));
    later(kUnused, [this] { end_once_rules(); });
  }
  return put_rules();
}

Result<void> NetworkByName::take_back(const Grant& grant) {
  PF_TRY(rule, parse_rule(grant.resource, {}));
  std::erase_if(rules_, [&](const DomainRule& each) { return same_rule(each, rule); });
  return put_rules();
}

// Ends all kOnce rules together after the last connection, because it is unknown which connection used which rule.
void NetworkByName::end_once_rules() {
  if (once_.empty() || relay_.statistics().connections > 0) return;
  for (const std::string& each : std::exchange(once_, {}))
    std::erase_if(rules_, [&](const DomainRule& rule) { return print_rule(rule) == each; });
  static_cast<void>(put_rules());
}

Result<void> NetworkByName::start() {
  PF_CHECK(net::Relay::check_room());
  if (sandbox_.wants_proxy()) {
    PF_TRY(token, sys::fresh_secret(), "making the proxy's token");
    proxy_.emplace(loop_, relay_, token);
    PF_CHECK(put_rules());
    PF_CHECK(proxy_->start(), "starting the proxy");
    sandbox_.use_proxy(proxy_->port(), net::proxy_variables(proxy_->port(), token));
    return {};
  }
  PF_CHECK(relay_.serve_dns(net::Address(network_.name_server)));
  return put_rules();
}

Result<sys::Fd> NetworkByName::listen(const net::Address& address, std::uint16_t port) {
  return sandbox_.open_socket({backend::SocketKind::kStream, address.ip(), port});
}

Result<sys::Fd> NetworkByName::datagram(const net::Address& address, std::uint16_t port) {
  return sandbox_.open_socket({backend::SocketKind::kDatagram, address.ip(), port});
}

void NetworkByName::denied(const net::NetDenial& denial) {
  // Not denied by a rule: Pinfold reached one of its own limits.
  if (denial.reason == net::NetDenial::Reason::kLimit) {
    if (limits_.size() < kMostLimits) limits_.insert(resource(denial) + " was not reached: " + denial.why);
    return;
  }
  Denial out;
  out.operation = "connect";
  out.resource = resource(denial);
  out.rule = denial.why;
  out.allow_with = denial.allow_with;
  out.source = DenialSource::kObserved;
  out.host = denial.name;
  out.address = text_of(denial.address);
  out.port = denial.port;
  denied_(std::move(out));
}

bool NetworkByName::is_denied(Denial& seen) const {
  const auto address = net::Address::parse(seen.address);
  const std::string* name = address ? relay_.name_of(*address) : nullptr;
  // A connection that the relay refused is denied. An observed call may be for an address that was granted since.
  const bool was_seen = address && seen.pid != 0 && seen.operation == "connect";
  if (name == nullptr) return !was_seen || !pinfold::decide(rules_, address->ip(), seen.port).allowed;
  // Not a denial: to sort the addresses of a name by route, the C library connects a datagram socket to each.
  if (seen.operation != "connect") return false;
  const auto decision = net::DomainRules(rules_).decide(*name, seen.port);
  if (decision.outcome == net::Decision::Outcome::kAllowed) return false;
  seen.rule = decision.why;
  seen.allow_with = decision.allow_with;
  seen.host = *name;
  seen.address.clear();
  seen.resource = *name + ":" + std::to_string(seen.port);
  seen.grant = Grant{Grant::Kind::kNetwork, seen.resource};
  return true;
}

void NetworkByName::closed(const net::ConnectionRecord& record) {
  if (!once_.empty()) later(kLinger, [this] { end_once_rules(); });
  if (connected)
    connected({record.name, text_of(record.address), record.port, record.bytes_up, record.bytes_down, record.duration,
               words_for(record.end)});
  if (connections_.size() >= kMostConnections) {
    ++more_connections_;
    return;
  }
  connections_.push_back({record.name, text_of(record.address), record.port, record.bytes_up, record.bytes_down,
                          record.duration, words_for(record.end)});
}

void NetworkByName::conclude(Report& report) {
  proxy_.reset();
  relay_.close();
  report.notes.insert(report.notes.end(), limits_.begin(), limits_.end());
  report.connections = std::move(connections_);
  report.more_connections = more_connections_;
}

}  // namespace pinfold::supervisor
