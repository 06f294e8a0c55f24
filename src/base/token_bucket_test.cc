// token_bucket_test.cc: a burst, then the rate; a debt and its end.
#include "base/token_bucket.h"

#include <gtest/gtest.h>

namespace pinfold {
namespace {

using namespace std::chrono_literals;

TEST(TokenBucket, AllowsABurstThenTheRate) {
  TokenBucket bucket(10, 3);
  auto time = TokenBucket::Time() + 1h;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.try_take(time));
  EXPECT_FALSE(bucket.try_take(time));
  time += 150ms;
  EXPECT_TRUE(bucket.try_take(time));
  EXPECT_FALSE(bucket.try_take(time));
  time += 1h;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.try_take(time));
  EXPECT_FALSE(bucket.try_take(time));
}

TEST(TokenBucket, RepaysADeficitAtItsRate) {
  TokenBucket bucket(10, 1);
  auto time = TokenBucket::Time() + 1h;
  bucket.take(time);
  EXPECT_EQ(bucket.debt(), 0ms);
  bucket.take(time);
  EXPECT_EQ(bucket.debt(), 100ms);
  time += 200ms;
  bucket.take(time);
  EXPECT_EQ(bucket.debt(), 0ms);
}

}  // namespace
}  // namespace pinfold
