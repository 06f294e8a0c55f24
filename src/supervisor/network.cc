// network.cc: binds the relay to a sandbox and a report.
#include "supervisor/network.h"

#include <memory>
#include <string>
#include <utility>

#include "base/try.h"
#include "net/domain_rules.h"

namespace pinfold::supervisor {
namespace {

constexpr std::size_t kMostConnections = 1000;

net::ResolverOptions resolver_options(const Network& network) {
  net::ResolverOptions options;
  for (const HostAddresses& each : network.hosts)
    for (const IpAddress& address : each.addresses) options.hosts[each.name].push_back(net::Address(address));
  return options;
}

std::string text_of(const std::optional<net::Address>& address) { return address ? address->text() : std::string(); }

// "example.org:443", "10.0.0.1:80", or the name alone where only that was asked for.
std::string resource(const net::NetDenial& denial) {
  const std::string port = denial.port == 0 ? "" : ":" + std::to_string(denial.port);
  if (!denial.name.empty() || !denial.address) return denial.name + port;
  return denial.port == 0 ? denial.address->text() : net::with_port(*denial.address, denial.port);
}

}  // namespace

NetworkByName::NetworkByName(sys::EventLoop& loop, backend::Sandbox& sandbox, const Network& network, Denied denied)
    : sandbox_(sandbox),
      network_(network),
      denied_(std::move(denied)),
      resolver_(loop, resolver_options(network)),
      relay_(loop, *this, resolver_, *this, net::RelayOptions{}) {}

Result<void> NetworkByName::start() {
  PF_CHECK(relay_.serve_dns(net::Address(network_.name_server)), "");
  return relay_.set_rules(std::make_shared<net::DomainRules>(network_.domains));
}

Result<sys::Fd> NetworkByName::listen(const net::Address& address, std::uint16_t port) {
  return sandbox_.open_socket({backend::SocketKind::kStream, address.ip(), port});
}

Result<sys::Fd> NetworkByName::datagram(const net::Address& address, std::uint16_t port) {
  return sandbox_.open_socket({backend::SocketKind::kDatagram, address.ip(), port});
}

void NetworkByName::denied(const net::NetDenial& denial) {
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
  if (name == nullptr) return true;
  // The C library finds out which of a name's addresses has a route by connecting a socket for datagrams to each.
  if (seen.operation != "connect") return false;
  const auto decision = net::DomainRules(network_.domains).decide(*name, seen.port);
  if (decision.verdict == net::Decision::Verdict::kAllowed) return false;
  seen.rule = decision.why;
  seen.allow_with = decision.allow_with;
  seen.host = *name;
  seen.address.clear();
  seen.resource = *name + ":" + std::to_string(seen.port);
  return true;
}

void NetworkByName::closed(const net::ConnectionRecord& record) {
  if (connections_.size() >= kMostConnections) {
    ++more_connections_;
    return;
  }
  connections_.push_back({record.name, text_of(record.address), record.port, record.bytes_up, record.bytes_down,
                          record.duration, words_for(record.end)});
}

void NetworkByName::conclude(Report& report) {
  relay_.close();
  report.connections = std::move(connections_);
  report.more_connections = more_connections_;
}

}  // namespace pinfold::supervisor
