// timestamp_test.cc: times as text, round trips, and text that is not a time.
#include "base/timestamp.h"

#include <gtest/gtest.h>

namespace pinfold {
namespace {

using namespace std::chrono_literals;

Moment at(std::int64_t milliseconds) { return Moment{} + std::chrono::milliseconds(milliseconds); }

TEST(Timestamps, AreUtcToTheMillisecond) {
  EXPECT_EQ(timestamp(at(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(timestamp(at(1'794'776'101'123)), "2026-11-15T20:55:01.123Z");
  EXPECT_EQ(timestamp(at(951'825'599'999)), "2000-02-29T11:59:59.999Z");
  EXPECT_EQ(timestamp(at(-1)), "1969-12-31T23:59:59.999Z");
}

TEST(Timestamps, RoundTrip) {
  for (const std::int64_t when : {std::int64_t{0}, std::int64_t{1'794'776'101'123}, std::int64_t{951'825'599'999}}) {
    const auto again = parse_timestamp(timestamp(at(when)));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->when, at(when));
    EXPECT_TRUE(again->zone);
  }
}

TEST(Timestamps, ShortForms) {
  const Moment day = parse_timestamp("2026-11-15T00:00:00Z")->when;
  EXPECT_EQ(parse_timestamp("2026-11-15")->when, day);
  EXPECT_FALSE(parse_timestamp("2026-11-15")->zone);
  EXPECT_EQ(parse_timestamp("2026-11-15 20:55")->when, day + 20h + 55min);
  EXPECT_EQ(parse_timestamp("2026-11-15T20:55+01:30")->when, day + 19h + 25min);
  EXPECT_EQ(parse_timestamp("2026-11-15T20:55:07-01:00")->when, day + 21h + 55min + 7s);
}

TEST(Timestamps, RefusesInvalidText) {
  for (const char* text :
       {"", "now", "2026", "2026-13-01", "2026-02-30", "2026-02-29", "2026-11-15T", "2026-11-15T24:00",
        "2026-11-15T12:60", "2026-11-15T12:00Zx", "2026-11-15T12:00+1", "0000-01-01", "2026-11-15x"}) {
    const auto read = parse_timestamp(text);
    ASSERT_FALSE(read) << text;
    EXPECT_FALSE(read.error().fix().empty());
  }
}

TEST(Ago, SpansWithDaysAndWeeks) {
  EXPECT_EQ(*parse_ago("30m"), 30min);
  EXPECT_EQ(*parse_ago("1h"), 1h);
  EXPECT_EQ(*parse_ago("7d"), 7 * 24h);
  EXPECT_EQ(*parse_ago("2w"), 14 * 24h);
  for (const char* text : {"", "d", "0d", "-1d", "1.5d", "9999999999d", "1y", "5"})
    EXPECT_FALSE(parse_ago(text)) << text;
}

}  // namespace
}  // namespace pinfold
