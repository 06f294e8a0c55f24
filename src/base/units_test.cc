// units_test.cc: accepted texts; every other text is an error that names the accepted forms.
// Not here: limits.
#include "base/units.h"

#include <gtest/gtest.h>

namespace pinfold::units {
namespace {

using std::chrono::milliseconds;

TEST(Units, Durations) {
  EXPECT_EQ(*parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(*parse_duration("30s"), milliseconds(30'000));
  EXPECT_EQ(*parse_duration("2m"), milliseconds(120'000));
  EXPECT_EQ(*parse_duration("1h"), milliseconds(3'600'000));
}

TEST(Units, Sizes) {
  EXPECT_EQ(*parse_size("4096"), 4096U);
  EXPECT_EQ(*parse_size("64K"), 65536U);
  EXPECT_EQ(*parse_size("512M"), 536870912U);
  EXPECT_EQ(*parse_size("512m"), 536870912U);
  EXPECT_EQ(*parse_size("1G"), 1073741824U);
  EXPECT_EQ(*parse_count("64"), 64U);
}

TEST(Units, ErrorNamesTheForms) {
  for (const char* text :
       {"", "0s", "-1s", "30", "s", "30 s", "1.5s", "30S", "30sec", "99999999999999999999s", "+3s", "876001h", "\n"}) {
    const auto result = parse_duration(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind(), ErrorKind::kInvalid);
    EXPECT_NE(result.error().fix().find("30s"), std::string::npos) << text;
  }
  for (const char* text :
       {"", "0", "0K", "-5", "K", "12Q", "1KB", "18446744073709551616", "9223372036854775808", "99999999T", "0x10"}) {
    const auto result = parse_size(text);
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().fix().find("512M"), std::string::npos) << text;
  }
  for (const char* text : {"", "0", "-1", "1K", "4194305", "many"}) EXPECT_FALSE(parse_count(text)) << text;
}

TEST(Units, FormattedTextRoundTrips) {
  for (const char* text : {"500ms", "30s", "90s", "2m", "1h"})
    EXPECT_EQ(*parse_duration(format_duration(*parse_duration(text))), *parse_duration(text));
  EXPECT_EQ(format_duration(milliseconds(90'000)), "90s");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1500ms");
  EXPECT_EQ(format_size(1073741824), "1G");
  EXPECT_EQ(format_size(1500), "1500");
  EXPECT_EQ(format_size(std::uint64_t{3} << 19U), "1536K");
}

}  // namespace
}  // namespace pinfold::units
