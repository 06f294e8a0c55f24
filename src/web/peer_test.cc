// peer_test.cc: the kernel's list of connections, as text and for real.
#include "web/peer.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "sys/fd.h"

namespace pinfold::web {
namespace {

sockaddr_in at(const char* address, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  ::inet_pton(AF_INET, address, &out.sin_addr);
  out.sin_port = htons(port);
  return out;
}

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0\n"
    "   1: 0100007F:1F40 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 0 10 -1\n"
    "   2: 0100007F:C001 0100007F:1F40 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 0 10 -1\n"
    "   3: 0000000000000000FFFF00000100007F:C002 0000000000000000FFFF00000100007F:1F40 01 00000000:00000000 "
    "00:00000000 00000000  1002        0 3 1 0 20 4 0 10 -1\n"
    "   4: 0100007F:C003 0100007F:1F40 01 00000000:00000000 00:00000000 00000000  x1";

TEST(Peer, IsTheOtherEndOfTheConnection) {
  const auto server = at("127.0.0.1", 8000);
  EXPECT_EQ(owner_in(kTable, at("127.0.0.1", 0xC001), server), 1001u);
  EXPECT_EQ(owner_in(kTable, at("127.0.0.1", 0xC002), server), 1002u);
  EXPECT_EQ(owner_in(kTable, server, at("127.0.0.1", 0xC001)), 1000u);
}

TEST(Peer, IsUnknownWithoutAKernelEntry) {
  const auto server = at("127.0.0.1", 8000);
  EXPECT_FALSE(owner_in(kTable, at("127.0.0.1", 0xC004), server));
  EXPECT_FALSE(owner_in(kTable, at("127.0.0.1", 0xC003), server));
  EXPECT_FALSE(owner_in(kTable, at("127.0.0.2", 0xC001), server));
  EXPECT_FALSE(owner_in("", server, server));
}

TEST(Peer, IsFoundForARealConnection) {
  const auto listening = sys::Fd::adopt(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = at("127.0.0.1", 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listening.raw(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listening.raw(), 1), 0);
  ASSERT_EQ(::getsockname(listening.raw(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const auto client = sys::Fd::adopt(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.raw(), reinterpret_cast<sockaddr*>(&address), size), 0);
  const auto accepted = sys::Fd::adopt(::accept4(listening.raw(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(owner_of_peer(accepted.raw()), ::geteuid());
  EXPECT_FALSE(owner_of_peer(listening.raw()));
}

}  // namespace
}  // namespace pinfold::web
