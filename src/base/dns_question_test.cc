// dns_question_test.cc: queries among other bytes, and bytes that are none.
#include "base/dns_question.h"

#include <gtest/gtest.h>

namespace pinfold {
namespace {

using namespace std::string_literals;

const std::string kHeader = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"s;
const std::string kExample =
    "\x07"
    "Example\x03"
    "com\x00"s;

TEST(DnsQuestion, IsFoundInAMessage) {
  const std::string noise = "\x01\x00\x00\x01 and more"s;
  EXPECT_EQ(find_dns_question(noise + kHeader + kExample + "\x00\x01\x00\x01"s + noise), "example.com");
  EXPECT_EQ(find_dns_question(kHeader + "\x02"
                                        "db\x00\x00\x1c\x00\x01"s),
            "db");
  // With EDNS, and with the bits that validating clients set.
  EXPECT_EQ(find_dns_question("\x12\x34\x01\x20\x00\x01\x00\x00\x00\x00\x00\x01"s + kExample + "\x00\x01\x00\x01"s),
            "example.com");
}

TEST(DnsQuestion, IsAbsentFromBrokenMessages) {
  EXPECT_EQ(find_dns_question(""), std::nullopt);
  EXPECT_EQ(find_dns_question(std::string(5000, '\0')), std::nullopt);
  EXPECT_EQ(find_dns_question(kHeader), std::nullopt);
  EXPECT_EQ(find_dns_question(kHeader + "\x00\x00\x01\x00\x01"s), std::nullopt) << "the root is no host";
  EXPECT_EQ(find_dns_question(kHeader + kExample), std::nullopt) << "cut off";
  EXPECT_EQ(find_dns_question(kHeader + kExample + "\x00\x10\x00\x01"s), std::nullopt) << "asks for text";
  EXPECT_EQ(find_dns_question(kHeader + "\x05"
                                        "a\x1b[2J\x00\x00\x01\x00\x01"s),
            std::nullopt)
      << "no host's name";
  EXPECT_EQ(find_dns_question(kHeader + "\xc0\x0c\x00\x01\x00\x01"s), std::nullopt) << "a pointer";
  std::string long_name = kHeader;
  for (int i = 0; i < 100; ++i)
    long_name +=
        "\x04"
        "abcd"s;
  EXPECT_EQ(find_dns_question(long_name + "\x00\x00\x01\x00\x01"s), std::nullopt);
}

}  // namespace
}  // namespace pinfold
