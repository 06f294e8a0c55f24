// since_test.cc: the values of --since.
#include "cli/since.h"

#include <gtest/gtest.h>

namespace pinfold::cli {
namespace {

using namespace std::chrono_literals;

TEST(Since, SpansAndDates) {
  const Moment now = parse_timestamp("2026-11-15T12:00:00Z")->when;
  EXPECT_EQ(*parse_since("1h", now), now - 1h);
  EXPECT_EQ(*parse_since("30m", now), now - 30min);
  EXPECT_EQ(*parse_since("7d", now), now - 168h);
  EXPECT_EQ(*parse_since("2026-11-15T11:00:00Z", now), now - 1h);
  EXPECT_EQ(*parse_since("2026-11-15T11:00+01:00", now), now - 2h);
  // Without a zone it is local time, and shown as it was typed.
  EXPECT_EQ(local_time(*parse_since("2026-07-15T11:00", now)), "2026-07-15 11:00:00");
  EXPECT_EQ(local_time(*parse_since("2026-01-15", now)), "2026-01-15 00:00:00");
}

TEST(Since, ErrorNamesTheForms) {
  for (const char* text : {"", "1", "yesterday", "1y", "-1h", "2026-13-01", "h", "\x1b[31m"}) {
    const auto since = parse_since(text, Moment{});
    ASSERT_FALSE(since) << text;
    EXPECT_NE(since.error().fix().find("7d"), std::string::npos);
    EXPECT_EQ(since.error().text().find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace pinfold::cli
