// edit_distance_test.cc: near misses are found, far ones are not.
// Not here: wording.
#include "base/edit_distance.h"

#include <string>

#include <gtest/gtest.h>

namespace pinfold {
namespace {

const std::vector<std::string_view> kNames = {"strict", "moderate", "permissive", "read-only", "danger-full-access"};

TEST(Nearest, Distance) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("AB", "ab"), 0U);
  EXPECT_EQ(edit_distance(std::string(100, 'a'), "b"), 100U);
}

TEST(Nearest, FindsNearMissesOnly) {
  EXPECT_EQ(nearest("modrate", kNames), "moderate");
  EXPECT_EQ(nearest("Strict", kNames), "strict");
  EXPECT_EQ(nearest("stirct", kNames), "strict");
  EXPECT_EQ(nearest("readonly", kNames), "read-only");
  EXPECT_EQ(nearest("perm", kNames), "permissive");
  EXPECT_EQ(nearest("banana", kNames), std::nullopt);
  EXPECT_EQ(nearest("", kNames), std::nullopt);
}

}  // namespace
}  // namespace pinfold
