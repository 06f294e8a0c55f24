// pipe_pool_test.cc: the largest idle pipe first, no more than the limit, and not too many kept.
#include "net/pipe_pool.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace pinfold::net {
namespace {

TEST(PipePool, givesTheLargestIdlePipe) {
  PipePool pool(8);
  std::vector<Pipe> taken;
  for (int i = 0; i < 6; ++i) taken.push_back(*pool.take());
  // A user with many pipes gets only small ones.
  if (taken[0].capacity < PipePool::kLarge || taken[5].capacity >= PipePool::kLarge)
    GTEST_SKIP() << "pipes of one size only";
  for (std::size_t each : {5U, 0U, 4U, 1U}) pool.give_back(std::move(taken[each]));
  EXPECT_EQ(pool.made(), 6U);
  for (bool large : {true, true, false, false}) EXPECT_EQ(pool.take()->capacity >= PipePool::kLarge, large);
}

TEST(PipePool, isBoundedAndKeepsFewIdlePipes) {
  PipePool pool(PipePool::kKept + 4);
  std::vector<Pipe> taken;
  while (auto pipe = pool.take()) taken.push_back(std::move(*pipe));
  ASSERT_EQ(taken.size(), PipePool::kKept + 4);
  std::size_t largest = taken[0].capacity;
  for (Pipe& each : taken) pool.give_back(std::move(each));
  EXPECT_EQ(pool.made(), PipePool::kKept);
  EXPECT_EQ(pool.take()->capacity, largest);
}

}  // namespace
}  // namespace pinfold::net
