// rate_limiter_test.cc: so many at once, then so many in a second.
#include "web/rate_limiter.h"

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

using namespace std::chrono_literals;

TEST(Pace, LetsABurstGoAndThenSoManyInASecond) {
  Pace pace(10, 3);
  auto time = Pace::Clock::time_point() + 1h;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pace.may_go(time));
  EXPECT_FALSE(pace.may_go(time));
  time += 150ms;
  EXPECT_TRUE(pace.may_go(time));
  EXPECT_FALSE(pace.may_go(time));
  time += 1h;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pace.may_go(time));
  EXPECT_FALSE(pace.may_go(time));
}

}  // namespace
}  // namespace pinfold::web
