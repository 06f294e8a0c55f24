// address_test.cc: strict text, and every range that a name must not lead to.
#include "net/address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

namespace pinfold::net {
namespace {

TEST(Address, takesStrictTextOnly) {
  for (const char* text :
       {"127.1", "0x7f.1", "2130706433", "127.0.0.01x", "", "::1%lo", "[::1]", "1.2.3.4.", "1.2.3.4/8"})
    EXPECT_FALSE(Address::parse(text)) << text;
  EXPECT_FALSE(Address::parse(std::string_view("127.0.0.1\0x", 11)));
  EXPECT_EQ(Address::parse("10.1.2.3")->text(), "10.1.2.3");
  EXPECT_EQ(Address::parse("FE80::0001")->text(), "fe80::1");
  EXPECT_EQ(with_port(*Address::parse("::1"), 80), "[::1]:80");
}

TEST(Address, survivesASocketAddress) {
  for (const char* text : {"198.18.0.1", "fd70:696e::1"}) {
    sockaddr_storage storage{};
    Address::parse(text)->put(80, storage);
    EXPECT_EQ(Address::from(storage)->text(), text);
  }
}

TEST(Address, isTheAddressOfARule) {
  for (const char* text : {"198.18.0.1", "fd70:696e:666f:6c64::1", "64:ff9b::a00:1"}) {
    Address address = *Address::parse(text);
    EXPECT_EQ(address.ip(), *parse_address(text));
    EXPECT_EQ(Address(address.ip()), address);
    EXPECT_EQ(address.text(), text);
  }
  EXPECT_TRUE(Address::parse("10.1.2.3")->within(Address(parse_prefix("10.0.0.0/8")->address), 8));
}

// Else a rule about the IPv4 address would not be held against it.
TEST(Address, mappedIsIpv4HoweverItWasMade) {
  const std::array<std::uint8_t, 16> bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 169, 254, 169, 254};
  sockaddr_in6 raw{};
  raw.sin6_family = AF_INET6;
  std::memcpy(&raw.sin6_addr, bytes.data(), bytes.size());
  sockaddr_storage storage{};
  std::memcpy(&storage, &raw, sizeof raw);
  for (const Address& each : {Address::v6(bytes), *Address::from(storage), Address(IpAddress{Family::kV6, bytes}),
                              *Address::parse("::ffff:a9fe:a9fe")}) {
    EXPECT_EQ(each, *Address::parse("169.254.169.254"));
    EXPECT_EQ(range_of(each), Range::kMetadata);
    EXPECT_EQ(each.put(80, storage), sizeof(sockaddr_in));
  }
}

TEST(Address, prefixesCountBits) {
  EXPECT_TRUE(Address::parse("172.31.255.255")->within(*Address::parse("172.16.0.0"), 12));
  EXPECT_FALSE(Address::parse("172.32.0.0")->within(*Address::parse("172.16.0.0"), 12));
  EXPECT_TRUE(Address::parse("8.8.8.8")->within(*Address::parse("0.0.0.0"), 0));
  EXPECT_FALSE(Address::parse("::1")->within(*Address::parse("0.0.0.0"), 0));
  EXPECT_TRUE(Address::parse("::1")->within(*Address::parse("::1"), 128));
  EXPECT_FALSE(Address::parse("1.2.3.4")->within(*Address::parse("1.2.3.5"), 32));
}

TEST(Range, recognisesAddressesThatAreNotPublic) {
  struct Row {
    const char* address;
    Range range;
  };
  for (const Row& row : {
           Row{"8.8.8.8", Range::kPublic},
           {"2606:4700::1", Range::kPublic},
           {"127.0.0.1", Range::kLoopback},
           {"127.255.0.1", Range::kLoopback},
           {"::1", Range::kLoopback},
           {"0.0.0.0", Range::kReserved},
           {"::", Range::kReserved},
           {"10.255.0.1", Range::kPrivate},
           {"172.16.0.1", Range::kPrivate},
           {"172.15.255.255", Range::kPublic},
           {"192.168.1.1", Range::kPrivate},
           {"100.64.0.1", Range::kPrivate},
           {"100.128.0.1", Range::kPublic},
           {"169.254.1.1", Range::kLinkLocal},
           {"169.254.169.254", Range::kMetadata},
           {"168.63.129.16", Range::kMetadata},
           {"fd00:ec2::254", Range::kMetadata},
           {"fd00::1", Range::kPrivate},
           {"fe80::1", Range::kLinkLocal},
           {"febf::1", Range::kLinkLocal},
           {"ff02::1", Range::kMulticast},
           {"224.0.0.251", Range::kMulticast},
           {"255.255.255.255", Range::kReserved},
           {"198.19.0.1", Range::kReserved},
           {"::ffff:127.0.0.1", Range::kLoopback},
           {"::ffff:169.254.169.254", Range::kMetadata},
           {"::ffff:8.8.8.8", Range::kPublic},
           {"::ffff:0:10.0.0.1", Range::kPrivate},
           {"::10.0.0.1", Range::kPrivate},
           {"64:ff9b::a00:1", Range::kPrivate},
           {"64:ff9b::808:808", Range::kPublic},
           {"64:ff9b:1::808:808", Range::kPrivate},
           {"2002:7f00:1::", Range::kLoopback},
           {"2002:808:808::", Range::kPublic},
           {"2001:0:1::1", Range::kReserved},
       })
    EXPECT_EQ(range_of(*Address::parse(row.address)), row.range) << row.address;
}

}  // namespace
}  // namespace pinfold::net
