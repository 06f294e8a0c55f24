// relay_names.cc: the answers of the DNS stub, and the listeners on the addresses that it returns.
// Invariant: an address is returned only after its listeners exist; a name that is not granted is never resolved
// outside.
// Not here: DNS messages (dns_message.h), connections (relay.cc).
#include <algorithm>
#include <utility>

#include "net/address_check.h"
#include "net/relay.h"
#include "sys/descriptors.h"

namespace pinfold::net {
namespace {

NameAnswer no_name(std::string why) { return {NameAnswer::Kind::kNoName, {}, {}, std::move(why)}; }
NameAnswer no_data() { return {NameAnswer::Kind::kNoData, {}, {}, ""}; }

bool is_below(std::string_view name, std::string_view parent) {
  return name == parent ||
         (name.size() > parent.size() && name.ends_with(parent) && name[name.size() - parent.size() - 1] == '.');
}

// _service._protocol.NAME → NAME
std::string without_service(const std::string& name) {
  std::string_view rest = name;
  while (rest.starts_with('_')) {
    std::size_t dot = rest.find('.');
    if (dot == std::string_view::npos) return name;
    rest.remove_prefix(dot + 1);
  }
  return std::string(rest);
}

}  // namespace

void Relay::look_up(const dns::Query& query, NameDone done) {
  // A reverse lookup is not an attempt to connect, and there are no names to return.
  if (query.name && (is_below(*query.name, "in-addr.arpa") || is_below(*query.name, "ip6.arpa")))
    return done(no_name(""));
  if (!query.name) {
    if (!query.shown.empty() && query.shown != ".")
      denied({.name = query.shown, .address = {}, .why = "not a host name", .allow_with = ""});
    return done(no_name("not a host name"));
  }
  // The sandbox's own loopback, for any rules (RFC 6761).
  if (is_below(*query.name, "localhost"))
    return done({NameAnswer::Kind::kAddresses, Address::v4(0x7f000001), Address::parse("::1"), ""});
  if (query.type == dns::Type::kA || query.type == dns::Type::kAaaa) return decide_name(*query.name, std::move(done));
  // Other records could lead to other names; a program without them uses the addresses.
  std::string name = without_service(*query.name);
  Decision decision = rules_->decide(name);
  if (decision.outcome != Decision::Outcome::kDenied) return done(no_data());
  denied({.name = name, .address = {}, .why = decision.why, .allow_with = decision.allow_with});
  done(no_name(decision.why));
}

void Relay::decide_name(const std::string& name, NameDone done) {
  Decision decision = rules_->decide(name);
  if (decision.outcome == Decision::Outcome::kAllowed) return resolve_name(name, std::move(done));
  if (decision.outcome == Decision::Outcome::kWait && waits(name, [this, name, done] { decide_name(name, done); }))
    return;
  denied({.name = name, .address = {}, .why = decision.why, .allow_with = decision.allow_with});
  done(no_name(decision.why));
}

bool Relay::waits(const std::string& name, std::function<void()> again) {
  if (!waiting_.contains(name) && waiting_.size() >= options_.most_waiting_names) return false;
  waiting_[name].push_back(std::move(again));
  return true;
}

void Relay::consider(const std::string& name, const std::function<void()>& done) {
  const bool asks = rules_->decide(name).outcome == Decision::Outcome::kWait;
  if (!asks || !waits(name, [this, name, done] { consider(name, done); })) done();
}

void Relay::reconsider(const std::string& name) {
  auto found = waiting_.find(name);
  if (found == waiting_.end()) return;
  auto waiting = std::move(found->second);
  waiting_.erase(found);
  for (const auto& again : waiting) again();
}

// Resolves outside first: a name that does not exist there must not exist inside. Then the name gets a synthetic
// address.
void Relay::resolve_name(const std::string& name, NameDone done) {
  auto ticket = std::make_shared<Resolver::Ticket>(0);
  *ticket = resolver_.resolve(name, [this, name, ticket, done = std::move(done)](const Resolution& resolution) {
    tickets_.erase(*ticket);
    done(give_addresses(name, resolution));
  });
  if (*ticket != 0) tickets_.insert(*ticket);
}

NameAnswer Relay::give_addresses(const std::string& name, const Resolution& resolution) {
  switch (resolution.status) {
    case Resolution::Status::kNoName: return no_name("");
    case Resolution::Status::kNoData: return no_data();
    case Resolution::Status::kFailed: return {NameAnswer::Kind::kFailed, {}, {}, resolution.problem};
    case Resolution::Status::kFound: break;
  }
  // The rules may have changed during the lookup.
  auto ports = rules_->ports(name);
  if (ports.empty()) return no_name("no port of it is granted");
  std::optional<NetDenial> denial;
  bool reachable = std::any_of(ports.begin(), ports.end(), [&](std::uint16_t port) {
    AddressCheck check = check_addresses(*rules_, name, port, resolution.addresses);
    if (!denial) denial = std::move(check.denial);
    return !check.allowed.empty();
  });
  if (!reachable && denial) {
    std::string why = denial->why;
    denied(*std::move(denial));
    return no_name(std::move(why));
  }
  if (!reachable) {  // no address could be checked
    const std::string why = sys::too_few_descriptors("checking its addresses").text();
    denied({.reason = NetDenial::Reason::kLimit, .name = name, .address = {}, .why = why, .allow_with = ""});
    return {NameAnswer::Kind::kFailed, {}, {}, why};
  }
  const NameEntry* entry = names_.find_or_add(name);
  auto opened = entry != nullptr ? open_listeners(name, *entry)
                                 : fail(ErrorKind::kSystem,
                                        "pinfold keeps at most " + std::to_string(options_.most_names) + " names");
  if (!opened) {
    denied({.reason = NetDenial::Reason::kLimit,
            .name = name,
            .address = {},
            .why = opened.error().text() + (opened.error().fix().empty() ? "" : "; " + opened.error().fix()),
            .allow_with = ""});
    return {NameAnswer::Kind::kFailed, {}, {}, opened.error().text()};
  }
  return {NameAnswer::Kind::kAddresses, entry->v4, entry->v6, ""};
}

Result<void> Relay::open_listeners(const std::string& name, const NameEntry& entry) {
  for (std::uint16_t port : rules_->ports(name)) {
    Destination destination{name, std::nullopt, port};
    auto opened = listeners_.ensure(entry.v4, port, destination);
    if (!opened) return opened;
    // Where there is no IPv6 inside, names have none.
    if (entry.v6 && !listeners_.full() && !listeners_.ensure(*entry.v6, port, destination)) names_.without_v6();
  }
  return {};
}

// Destinations without DNS: the host's loopback services, and addresses.
Result<void> Relay::open_fixed_listeners() {
  Result<void> result;
  auto ensure = [&](const Address& address, std::uint16_t port, const Destination& destination) {
    auto opened = listeners_.ensure(address, port, destination);
    if (!opened && result) result = std::move(opened);
  };
  for (std::uint16_t port : rules_->ports("localhost")) {
    bool first = true;
    for (const Address& address : options_.localhost) {
      if (first)
        ensure(address, port, {"localhost", std::nullopt, port});
      else  // ::1 is optional: without IPv6 inside, 127.0.0.1 is enough
        static_cast<void>(listeners_.ensure(address, port, {"localhost", std::nullopt, port}));
      first = false;
    }
  }
  for (const AddressGrant& grant : rules_->addresses()) {
    unsigned free_bits =
        (grant.network.is_v4() ? 32 : 128) - std::min(grant.prefix, grant.network.is_v4() ? 32U : 128U);
    if (free_bits == 0) {
      ensure(grant.network, grant.port, {"", grant.network, grant.port});
    } else if (grant.network.is_v4() && free_bits < 32 && (1U << free_bits) <= options_.most_single_addresses) {
      for (std::uint32_t i = 0; i < (1U << free_bits); ++i) {
        Address address = Address::v4(grant.network.v4_bits() + i);
        ensure(address, grant.port, {"", address, grant.port});
      }
    } else {
      // Only a socket on all addresses takes connections to a whole network; each is decided by the address it was made
      // to.
      Address all = grant.network.is_v4() ? Address::v4(0) : Address::v6({});
      ensure(all, grant.port, {"", std::nullopt, grant.port});
    }
  }
  return result;
}

}  // namespace pinfold::net
