// rate_limiter_test.cc: a burst, then the rate.
#include "web/rate_limiter.h"

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

using namespace std::chrono_literals;

TEST(RateLimiter, AllowsABurstAndThenTheRate) {
  RateLimiter limiter(10, 3);
  auto time = RateLimiter::Clock::time_point() + 1h;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.allow(time));
  EXPECT_FALSE(limiter.allow(time));
  time += 150ms;
  EXPECT_TRUE(limiter.allow(time));
  EXPECT_FALSE(limiter.allow(time));
  time += 1h;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.allow(time));
  EXPECT_FALSE(limiter.allow(time));
}

}  // namespace
}  // namespace pinfold::web
