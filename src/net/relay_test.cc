// relay_test.cc: cases that tests/relay cannot test on a shared loopback: grants by address, tables, dialling, first
// bytes, the loop.
#include "net/relay.h"
#include "base/domain.h"
#include "net/domain_rules.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "net/address_check.h"
#include "net/first_bytes.h"

namespace pinfold::net {
namespace {

using std::chrono::milliseconds;

ByteView view(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

struct OneRules : Rules {
  std::vector<AddressGrant> grants;
  std::vector<std::uint16_t> localhost;
  Decision decide(std::string_view name) const override { return decide(name, 0); }
  Decision decide(std::string_view name, std::uint16_t) const override {
    return {name == "localhost" && !localhost.empty() ? Decision::Outcome::kAllowed : Decision::Outcome::kDenied, "",
            ""};
  }
  Decision decide(const Address& address, std::uint16_t port) const override {
    for (const AddressGrant& each : grants)
      if (each.port == port && address.within(each.network, each.prefix)) return {Decision::Outcome::kAllowed, "", ""};
    return {Decision::Outcome::kDenied, "not granted", "--net " + with_port(address, port)};
  }
  std::vector<std::uint16_t> ports(std::string_view name) const override {
    return name == "localhost" ? localhost : std::vector<std::uint16_t>{};
  }
  std::vector<AddressGrant> addresses() const override { return grants; }
};

struct RecordedEvents : Events {
  void denied(const NetDenial& denial) override { denials.push_back(denial); }
  void closed(const ConnectionRecord& record) override {
    records.push_back(record);
    if (loop != nullptr) loop->stop();
  }
  std::vector<NetDenial> denials;
  std::vector<ConnectionRecord> records;
  sys::EventLoop* loop = nullptr;
};

struct NoResolver : Resolver {
  Ticket resolve(const std::string&, Done done) override {
    done({});
    return 0;
  }
  void cancel(Ticket) override {}
};

// Inside and outside are one loopback here, so a listener inside gets another address: 127.x → 127.(x+1).
struct ShiftedSockets : HostSockets {
  std::vector<std::string> made;
  Result<sys::Fd> listen(const Address& address, std::uint16_t port) override {
    made.push_back(with_port(address, port));
    return HostSockets::listen(Address::v4(address.v4_bits() + 0x10000), port);
  }
};

sys::Fd listening(const char* address, std::uint16_t& port) {
  HostSockets host;
  auto made = host.listen(*Address::parse(address), 0);
  EXPECT_TRUE(made);
  sockaddr_in name{};
  socklen_t size = sizeof name;
  ::getsockname(made->raw(), reinterpret_cast<sockaddr*>(&name), &size);
  port = ntohs(name.sin_port);
  return std::move(*made);
}

sys::Fd connected(const char* address, std::uint16_t port) {
  sys::Fd socket = sys::Fd::adopt(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage storage{};
  socklen_t size = Address::parse(address)->put(port, storage);
  EXPECT_EQ(::connect(socket.raw(), reinterpret_cast<sockaddr*>(&storage), size), 0);
  return socket;
}

TEST(Relay, connectsToAGrantedAddressAndRecordsIt) {
  auto loop = sys::EventLoop::create();
  ShiftedSockets sockets;
  NoResolver resolver;
  RecordedEvents events;
  events.loop = &*loop;
  std::uint16_t port = 0;
  sys::Fd server = listening("127.77.1.5", port);
  auto rules = std::make_shared<OneRules>();
  rules->grants = {{*Address::parse("127.77.1.4"), 31, port}};
  Relay relay(*loop, sockets, resolver, events, {});
  ASSERT_TRUE(relay.set_rules(rules));
  EXPECT_EQ(sockets.made,
            (std::vector<std::string>{"127.77.1.4:" + std::to_string(port), "127.77.1.5:" + std::to_string(port)}));
  sys::Fd client = connected("127.78.1.5", port);
  ASSERT_EQ(::send(client.raw(), "hello", 5, 0), 5);
  ::shutdown(client.raw(), SHUT_WR);
  sys::Fd accepted;
  ASSERT_TRUE(loop->add(server.raw(), sys::EventLoop::Interest::kRead, [&] {
    accepted = sys::Fd::adopt(::accept(server.raw(), nullptr, nullptr));
    ::send(accepted.raw(), "good day", 8, 0);
    ::shutdown(accepted.raw(), SHUT_WR);
    loop->remove(server.raw());
  }));
  loop->after(milliseconds(5000), [&] { loop->stop(); });
  ASSERT_TRUE(loop->run());
  ASSERT_EQ(events.records.size(), 1U);
  EXPECT_EQ(events.records[0].end, End::kFinished);
  EXPECT_EQ(events.records[0].bytes_up, 5U);
  EXPECT_EQ(events.records[0].bytes_down, 8U);
  EXPECT_EQ(events.records[0].address, Address::parse("127.77.1.5"));
  EXPECT_EQ(relay.statistics().connections, 0U);
  // Removed: the listener is closed.
  ASSERT_TRUE(relay.set_rules(std::make_shared<OneRules>()));
  EXPECT_EQ(relay.statistics().listeners, 0U);
}

TEST(Relay, grantsNothingWithoutRules) {
  auto loop = sys::EventLoop::create();
  ShiftedSockets sockets;
  NoResolver resolver;
  RecordedEvents events;
  Relay relay(*loop, sockets, resolver, events, {});
  EXPECT_EQ(relay.statistics().listeners, 0U);
}

TEST(AddressCheck, refusesPrivateAddressesUnlessGranted) {
  OneRules rules;
  rules.grants = {{*Address::parse("10.0.0.0"), 8, 443}};
  std::vector<Address> addresses = {*Address::parse("169.254.169.254"), *Address::parse("10.1.2.3"),
                                    *Address::parse("::ffff:127.0.0.1")};
  AddressCheck check = check_addresses(rules, "a.test", 443, addresses);
  EXPECT_EQ(check.allowed, std::vector<Address>{addresses[1]});
  ASSERT_TRUE(check.denial);
  EXPECT_EQ(check.denial->address, addresses[0]);
  EXPECT_EQ(check.denial->allow_with, "--net 169.254.169.254:443");
  EXPECT_TRUE(check_addresses(rules, "a.test", 80, addresses).allowed.empty());
  EXPECT_EQ(is_own_address(*Address::parse("127.0.0.1")), true);
}

TEST(AddressCheck, OfThisHostsLoopbackOnlyLocalhostCanBeGranted) {
  const DomainRules rules({*parse_rule("a.test", {Source::kFlag, "--net"})});
  const auto way = [&](const char* address) {
    return check_addresses(rules, "a.test", 80, {*Address::parse(address)}).denial->allow_with;
  };
  EXPECT_EQ(way("127.0.0.77"), "");
  EXPECT_EQ(way("127.0.0.1"), "--net localhost:80");
  EXPECT_EQ(way("::1"), "--net localhost:80");
  EXPECT_EQ(way("10.0.0.1"), "--net 10.0.0.1:80");
}

TEST(NameTable, givesEachNameItsOwnAddresses) {
  NameTable table(AddressSpace::routed(), 600);
  NameEntry first = *table.find_or_add("a.test");
  EXPECT_EQ(first.v4.text(), "198.18.1.0");
  EXPECT_EQ(first.v6->text(), "fd70:696e:666f:6c64::1");
  for (int i = 1; i < 600; ++i) ASSERT_NE(table.find_or_add(std::to_string(i) + ".test"), nullptr);
  EXPECT_EQ(table.find_or_add("299.test")->v4.text(), "198.18.2.43");
  EXPECT_EQ(table.find_or_add("299.test")->v6->text(), "fd70:696e:666f:6c64::12c");
  EXPECT_EQ(table.find_or_add("a.test")->v4, first.v4);
  EXPECT_EQ(table.find_or_add("one.too.many"), nullptr);
  table.without_v6();
  EXPECT_FALSE(table.find_or_add("a.test")->v6);
  EXPECT_FALSE(NameTable(AddressSpace::loopback(), 1).find_or_add("x")->v6);
}

TEST(Dialer, familiesTakeTurns) {
  std::vector<Address> given;
  for (const char* text : {"1.1.1.1", "2.2.2.2", "::1", "::2", "::3"}) given.push_back(*Address::parse(text));
  std::vector<std::string> order;
  for (const Address& each : in_turns(given)) order.push_back(each.text());
  EXPECT_EQ(order, (std::vector<std::string>{"::1", "1.1.1.1", "::2", "2.2.2.2", "::3"}));
  EXPECT_EQ(in_turns(std::vector<Address>(50, given[0])).size(), Dialer::kMostTried);
}

TEST(FirstBytes, isStrictForProtocolsThatCarryNames) {
  using Outcome = FirstBytesCheck::Outcome;
  auto judge = [](std::string_view text, std::uint16_t port, StreamEnd end = StreamEnd::kOpen) {
    return check_first_bytes(view(text), end, "a.test", port).outcome;
  };
  EXPECT_EQ(judge("", 443), Outcome::kNeedMore);
  EXPECT_EQ(judge("", 443, StreamEnd::kEnded), Outcome::kPass);
  EXPECT_EQ(judge("GET / HTTP/1.1\r\nHost: A.test:80\r\n\r\n", 80), Outcome::kPass);
  EXPECT_EQ(judge("GET / HTTP/1.1\r\nHost: b.test\r\n\r\n", 80), Outcome::kRefuse);
  EXPECT_EQ(judge("GET / HTTP/1.1\r\nHost: a.te", 80), Outcome::kNeedMore);
  EXPECT_EQ(judge("GET / HTTP/1.1\r\nHost: a.te", 80, StreamEnd::kEnded), Outcome::kRefuse);
  EXPECT_EQ(judge("GET / HTTP/1.1\r\nHost: b.test\r\n\r\n", 8080), Outcome::kPass);
  EXPECT_EQ(judge("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", 443), Outcome::kRefuse);
  EXPECT_EQ(judge("SS", 443), Outcome::kNeedMore);
  EXPECT_EQ(judge("SSH-2.0-x\r\n", 443), Outcome::kPass);
  EXPECT_EQ(judge("SSH-2.0-x\r\n", 22), Outcome::kPass);
  EXPECT_EQ(judge("\x16\x03\x01", 9999), Outcome::kNeedMore);
  EXPECT_EQ(judge("\x16\x03\x01", 9999, StreamEnd::kEnded), Outcome::kRefuse);
}

TEST(EventLoop, reportsEdgesOnceAndForgetsOldDescriptors) {
  auto loop = sys::EventLoop::create();
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  sys::Fd left = sys::Fd::adopt(ends[0]), right = sys::Fd::adopt(ends[1]);
  int calls = 0;
  bool readable = false;
  ASSERT_TRUE(loop->add_edge(left.raw(), [&](sys::EventLoop::Ready ready) { ++calls, readable |= ready.read; }));
  loop->after(milliseconds(20), [&] { ASSERT_EQ(::send(right.raw(), "x", 1, 0), 1); });
  loop->after(milliseconds(80), [&] { loop->stop(); });
  ASSERT_TRUE(loop->run());
  EXPECT_EQ(calls, 2);  // writable at first, then readable; nothing was read, and no event was repeated
  EXPECT_TRUE(readable);
  loop->remove(left.raw());
}

TEST(EventLoop, timersFireInOrderAndCanBeCancelled) {
  auto loop = sys::EventLoop::create();
  std::string order;
  loop->after(milliseconds(20), [&] { order += "c", loop->stop(); });
  auto never = loop->after(milliseconds(10), [&] { order += "x"; });
  loop->after(milliseconds(10), [&] { order += "b"; });
  loop->after(milliseconds(0), [&] { order += "a", loop->cancel(never); });
  ASSERT_TRUE(loop->run());
  EXPECT_EQ(order, "abc");
}

}  // namespace
}  // namespace pinfold::net
