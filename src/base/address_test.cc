// address_test.cc: one spelling for each address, and nothing else.
#include "base/address.h"

#include <gtest/gtest.h>

#include "base/property.h"

namespace pinfold {
namespace {

std::string again(std::string_view text) {
  const auto address = parse_address(text);
  return address ? print_address(*address) : "refused";
}
std::string prefix(std::string_view text) {
  const auto made = parse_prefix(text);
  return made ? print_prefix(*made) : "refused";
}

TEST(Address, OneSpelling) {
  EXPECT_EQ(again("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(again("255.255.255.255"), "255.255.255.255");
  EXPECT_EQ(again("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(again("::"), "::");
  EXPECT_EQ(again("1::"), "1::");
  EXPECT_EQ(again("1:0:0:2:0:0:0:3"), "1:0:0:2::3");
  EXPECT_EQ(again("1:0:2:3:4:5:6:7"), "1:0:2:3:4:5:6:7");
  EXPECT_EQ(again("64:ff9b::10.0.0.1"), "64:ff9b::a00:1");
  EXPECT_EQ(again("::ffff:127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(again("0:0:0:0:0:FFFF:7f00:1"), "127.0.0.1");
}

TEST(Address, RefusesInvalidAddresses) {
  for (const char* text : {"",
                           "127.1",
                           "0x7f.0.0.1",
                           "2130706433",
                           "010.0.0.1",
                           "1.2.3.4.",
                           "1.2.3.256",
                           "1.2.3",
                           "1.2.3.4.5",
                           " 1.2.3.4",
                           "1.2.3.4 ",
                           "+1.2.3.4",
                           "1..2.3",
                           "fe80::1%eth0",
                           ":",
                           ":::",
                           "1::2::3",
                           "1:2:3:4:5:6:7",
                           "1:2:3:4:5:6:7:8:9",
                           "1:2:3:4:5:6:7::8",
                           "::1.2.3",
                           "1.2.3.4::",
                           "12345::",
                           "g::",
                           "[::1]",
                           "::1:",
                           ":1::"})
    EXPECT_EQ(again(text), "refused") << text;
}

TEST(Prefix, BitsBehindItAreAMistake) {
  EXPECT_EQ(prefix("10.0.0.0/8"), "10.0.0.0/8");
  EXPECT_EQ(prefix("10.1.2.3/32"), "10.1.2.3");
  EXPECT_EQ(prefix("fd00::/8"), "fd00::/8");
  EXPECT_EQ(prefix("::ffff:10.0.0.0/104"), "10.0.0.0/8");
  EXPECT_EQ(prefix("0.0.0.0/0"), "0.0.0.0/0");
  for (const char* text : {"10.1.2.3/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1", "fd00::/129",
                           "fd00::1/64", "::ffff:10.0.0.0/90", "10.0.0.0/8/8"})
    EXPECT_EQ(prefix(text), "refused") << text;
  EXPECT_EQ(parse_prefix("10.1.2.3/8").error().fix(), "did you mean 10.0.0.0/8, or 10.1.2.3 alone?");
}

TEST(Prefix, CoversByBits) {
  const auto in = [](const char* outer, const char* address) {
    return covers(*parse_prefix(outer), *parse_address(address));
  };
  EXPECT_TRUE(in("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(in("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(in("10.0.0.4/30", "10.0.0.7"));
  EXPECT_FALSE(in("10.0.0.4/30", "10.0.0.8"));
  EXPECT_TRUE(in("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(in("0.0.0.0/0", "::1"));
  EXPECT_TRUE(in("fd00::/8", "fdff::1"));
  EXPECT_FALSE(covers(*parse_prefix("10.0.0.0/8"), *parse_prefix("0.0.0.0/0")));
  EXPECT_TRUE(overlap(*parse_prefix("10.0.0.0/8"), *parse_prefix("0.0.0.0/0")));
  EXPECT_TRUE(is_localhost(*parse_address("127.0.0.1")));
  EXPECT_TRUE(is_localhost(*parse_address("::ffff:127.0.0.1")));
  EXPECT_TRUE(is_localhost(*parse_address("::1")));
  EXPECT_FALSE(is_localhost(*parse_address("127.0.0.2")));
}

TEST(AddressProperty, PrintedTextRoundTrips) {
  EXPECT_EQ(holds("print_address() reads back", 3000,
                  [] {
                    IpAddress address;
                    if (*rc::gen::arbitrary<bool>()) address.family = Family::kV6;
                    const std::size_t size = address.family == Family::kV4 ? 4 : 16;
                    for (std::size_t i = 0; i < size; ++i)
                      address.bytes[i] = static_cast<std::uint8_t>(
                          *rc::gen::oneOf(rc::gen::just(0), rc::gen::just(255), rc::gen::inRange(0, 256)));
                    const auto read = parse_address(print_address(address));
                    RC_ASSERT(read.has_value());
                    if (print_address(address).find("::ffff:") != 0) RC_ASSERT(*read == address);
                    RC_ASSERT(print_address(*read) == again(print_address(*read)));
                  }),
            "");
}

}  // namespace
}  // namespace pinfold
