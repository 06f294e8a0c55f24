// edit_distance_test.cc: near misses are found, far ones are not.
// Not here: wording.
#include "base/edit_distance.h"

#include <string>

#include <gtest/gtest.h>

namespace pinfold {
namespace {

const std::vector<std::string_view> kNames = {"strict", "moderate", "permissive", "read-only", "danger-full-access"};

TEST(EditDistance, CountsInsertionsDeletionsAndSwaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("AB", "ab"), 0U);
  EXPECT_EQ(edit_distance(std::string(100, 'a'), "b"), 100U);
}

TEST(ClosestWord, FindsNearMissesOnly) {
  EXPECT_EQ(closest_word("modrate", kNames), "moderate");
  EXPECT_EQ(closest_word("Strict", kNames), "strict");
  EXPECT_EQ(closest_word("stirct", kNames), "strict");
  EXPECT_EQ(closest_word("readonly", kNames), "read-only");
  EXPECT_EQ(closest_word("perm", kNames), "permissive");
  EXPECT_EQ(closest_word("banana", kNames), std::nullopt);
  EXPECT_EQ(closest_word("", kNames), std::nullopt);
}

}  // namespace
}  // namespace pinfold
