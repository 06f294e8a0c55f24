// relay_driver.cc: runs the relay on the host's loopback, outside any sandbox, for tests/relay/run.
// Invariant: the relay is the real one; only rules and sockets inside come from here. It reads commands
// from stdin and prints lines of JSON. Not here: servers, clients, expected results.
//
//   grant NAME:PORT | revoke NAME:PORT | near ADDRESS/PREFIX | address ADDRESS/PREFIX:PORT | wait NAME | refuse NAME |
//   stats | quit
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "net/proxy.h"
#include "net/relay.h"
#include "net/resolver.h"

namespace {

using namespace pinfold;
using namespace pinfold::net;

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "relay_driver: %s\n", what.c_str());
  std::exit(2);
}

unsigned number(std::string_view text) {
  unsigned value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) die("not a number: " + std::string(text));
  return value;
}

Address address_of(std::string_view text) {
  auto parsed = Address::parse(text);
  if (!parsed) die("not an address: " + std::string(text));
  return *parsed;
}

std::pair<std::string, std::string> cut(std::string_view text, char at) {
  std::size_t place = text.rfind(at);
  if (place == std::string_view::npos) die("'" + std::string(1, at) + "' is missing in " + std::string(text));
  return {std::string(text.substr(0, place)), std::string(text.substr(place + 1))};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return out + "\"";
}

struct TestRules : Rules {
  std::set<std::pair<std::string, std::uint16_t>> grants;
  std::set<std::string> waits;
  std::vector<AddressGrant> networks;  // with a listener
  std::vector<AddressGrant> nearby;    // port 0: any, without one

  static bool covers(const std::string& rule, std::string_view name) {
    if (rule.starts_with("*."))
      return name.size() > rule.size() - 1 && name.ends_with(std::string_view(rule).substr(1));
    return rule == name;
  }
  Decision decide(std::string_view name) const override {
    if (!ports(name).empty()) return {Decision::Outcome::kAllowed, "granted", ""};
    if (waits.contains(std::string(name))) return {Decision::Outcome::kWait, "", ""};
    return {Decision::Outcome::kDenied, "no such name is granted", "--net " + std::string(name)};
  }
  Decision decide(std::string_view name, std::uint16_t port) const override {
    for (std::uint16_t each : ports(name))
      if (each == port) return {Decision::Outcome::kAllowed, "granted", ""};
    return {Decision::Outcome::kDenied, "this port is not granted",
            "--net " + std::string(name) + ":" + std::to_string(port)};
  }
  Decision decide(const Address& address, std::uint16_t port) const override {
    for (const auto* list : {&networks, &nearby})
      for (const AddressGrant& each : *list)
        if ((each.port == port || each.port == 0) && address.within(each.network, each.prefix))
          return {Decision::Outcome::kAllowed, "granted", ""};
    return {Decision::Outcome::kDenied, "no such address is granted", "--net " + with_port(address, port)};
  }
  std::vector<std::uint16_t> ports(std::string_view name) const override {
    std::vector<std::uint16_t> found;
    for (const auto& [rule, port] : grants)
      if (covers(rule, name)) found.push_back(port);
    return found;
  }
  std::vector<AddressGrant> addresses() const override { return networks; }
};

struct EventPrinter : Events {
  void denied(const NetDenial& denial) override {
    std::printf(
        "{\"event\": \"denied\", \"reason\": %d, \"name\": %s, \"address\": %s, \"port\": %u, \"why\": %s, "
        "\"allow_with\": %s}\n",
        static_cast<int>(denial.reason), quoted(denial.name).c_str(),
        quoted(denial.address ? denial.address->text() : "").c_str(), denial.port, quoted(denial.why).c_str(),
        quoted(denial.allow_with).c_str());
    std::fflush(stdout);
  }
  void closed(const ConnectionRecord& record) override {
    if (quiet) return;
    std::printf(
        "{\"event\": \"closed\", \"name\": %s, \"address\": %s, \"port\": %u, \"up\": %llu, \"down\": %llu, \"ms\": "
        "%lld, \"end\": %s}\n",
        quoted(record.name).c_str(), quoted(record.address ? record.address->text() : "").c_str(), record.port,
        static_cast<unsigned long long>(record.bytes_up), static_cast<unsigned long long>(record.bytes_down),
        static_cast<long long>(record.duration.count()), quoted(words_for(record.end)).c_str());
    std::fflush(stdout);
  }
  bool quiet = false;
};

struct Driver {
  explicit Driver(sys::EventLoop made) : loop(std::move(made)) {}
  sys::EventLoop loop;
  TestRules rules;
  EventPrinter events;
  HostSockets sockets;
  ResolverOptions resolving;
  RelayOptions options;
  std::unique_ptr<AresResolver> resolver;
  std::unique_ptr<Relay> relay;
  std::unique_ptr<Proxy> proxy;
  ProxyOptions proxying;
  std::string token;  // not empty: a proxy instead of the stub and listeners
  std::string input;

  void apply() {
    auto done = relay->set_rules(std::make_shared<TestRules>(rules));
    std::printf("{\"event\": \"rules\", \"error\": %s}\n", quoted(done ? "" : done.error().text()).c_str());
  }

  void print_statistics() {
    Statistics now = relay->statistics();
    std::printf(
        "{\"event\": \"stats\", \"connections\": %llu, \"most\": %llu, \"accepted\": %llu, \"turned_away\": %llu, "
        "\"listeners\": %llu, "
        "\"names\": %llu, \"pipes\": %llu, \"up\": %llu, \"down\": %llu, \"denials\": %llu, \"queries\": %llu, "
        "\"waiting\": %llu}\n",
        static_cast<unsigned long long>(now.connections), static_cast<unsigned long long>(now.most_connections),
        static_cast<unsigned long long>(now.accepted), static_cast<unsigned long long>(now.turned_away),
        static_cast<unsigned long long>(now.listeners), static_cast<unsigned long long>(now.names),
        static_cast<unsigned long long>(now.pipes), static_cast<unsigned long long>(now.bytes_up),
        static_cast<unsigned long long>(now.bytes_down), static_cast<unsigned long long>(now.denials),
        static_cast<unsigned long long>(now.queries), static_cast<unsigned long long>(now.waiting_queries));
  }

  void change(const std::string& word, const std::string& rest) {
    if (word == "grant" || word == "revoke") {
      auto [name, port] = cut(rest, ':');
      std::pair grant(name, static_cast<std::uint16_t>(number(port)));
      word == "grant" ? static_cast<void>(rules.grants.insert(grant)) : static_cast<void>(rules.grants.erase(grant));
      rules.waits.erase(name);
    } else if (word == "near") {
      auto [network, prefix] = cut(rest, '/');
      rules.nearby.push_back({address_of(network), number(prefix), 0});
    } else if (word == "address") {
      auto [network, tail] = cut(rest, '/');
      auto [prefix, port] = cut(tail, ':');
      rules.networks.push_back({address_of(network), number(prefix), static_cast<std::uint16_t>(number(port))});
    } else if (word == "wait") {
      rules.waits.insert(rest);
    } else if (word == "refuse") {
      rules.waits.erase(rest);
    } else {
      die("unknown word " + word);
    }
  }

  void command(const std::string& line) {
    std::size_t space = line.find(' ');
    std::string word = line.substr(0, space);
    std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (word == "quit") return loop.stop();
    if (word == "stats") {
      print_statistics();
    } else {
      change(word, rest);
      apply();
    }
    std::fflush(stdout);
  }

  void read_commands() {
    char buffer[4096];
    ssize_t count = ::read(0, buffer, sizeof buffer);
    if (count <= 0) return loop.stop();
    input.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end; (end = input.find('\n')) != std::string::npos;) {
      std::string line = input.substr(0, end);
      input.erase(0, end + 1);
      command(line);
    }
  }

  void option(const std::string& flag, const std::string& value) {
    if (flag == "--host") {
      auto [name, list] = cut(value, '=');
      for (std::size_t at = 0; at != std::string::npos;) {
        std::size_t comma = list.find(',', at);
        resolving.hosts[name].push_back(address_of(list.substr(at, comma == std::string::npos ? comma : comma - at)));
        at = comma == std::string::npos ? comma : comma + 1;
      }
    } else if (flag == "--servers") {
      resolving.servers = value;
    } else if (flag == "--try-ms") {
      resolving.try_for = std::chrono::milliseconds(number(value));
    } else if (flag == "--tries") {
      resolving.tries = static_cast<int>(number(value));
    } else if (flag == "--idle-ms") {
      options.idle = std::chrono::milliseconds(number(value));
    } else if (flag == "--half-idle-ms") {
      options.half_closed_idle = std::chrono::milliseconds(number(value));
    } else if (flag == "--connect-ms") {
      options.dial.limit = std::chrono::milliseconds(number(value));
    } else if (flag == "--most") {
      options.most_connections = number(value);
    } else if (flag == "--names") {
      options.most_names = number(value);
    } else if (flag == "--pipes") {
      options.most_pipes = number(value);
    } else if (flag == "--localhost") {
      options.localhost = {address_of(value)};
    } else if (flag == "--proxy-token") {
      token = value;
      options.listens = false;
    } else if (flag == "--proxy-patience-ms") {
      proxying.patience = std::chrono::milliseconds(number(value));
    } else if (flag == "--proxy-clients") {
      proxying.most_clients = number(value);
    } else if (flag == "--quiet") {
      events.quiet = value == "yes";
    } else {
      change(flag.substr(2), value);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  auto loop = sys::EventLoop::create();
  if (!loop) die(loop.error().text());
  Driver driver(std::move(*loop));
  driver.options.space = AddressSpace::loopback();
  driver.options.localhost = {*Address::parse("127.64.255.1")};
  std::string dns = "127.64.255.53:5353";
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string flag = argv[i];
    if (flag == "--dns")
      dns = argv[i + 1];
    else
      driver.option(flag, argv[i + 1]);
  }
  driver.resolver = std::make_unique<AresResolver>(driver.loop, driver.resolving);
  driver.relay = std::make_unique<Relay>(driver.loop, driver.sockets, *driver.resolver, driver.events, driver.options);
  auto [address, port] = cut(dns, ':');
  if (driver.token.empty()) {
    auto served = driver.relay->serve_dns(address_of(address), static_cast<std::uint16_t>(number(port)));
    if (!served) die(served.error().text());
  } else {
    driver.proxy = std::make_unique<Proxy>(driver.loop, *driver.relay, driver.token, driver.proxying);
    if (auto served = driver.proxy->start(); !served) die(served.error().text());
    std::printf("{\"event\": \"proxy\", \"port\": %u}\n", driver.proxy->port());
  }
  driver.apply();
  auto added = driver.loop.add(0, sys::EventLoop::Interest::kRead, [&] { driver.read_commands(); });
  if (!added) die(added.error().text());
  std::puts("{\"event\": \"ready\"}");
  std::fflush(stdout);
  auto ran = driver.loop.run();
  driver.loop.remove(0);
  driver.print_statistics();
  driver.proxy.reset();
  driver.relay.reset();
  return ran ? 0 : 1;
}
