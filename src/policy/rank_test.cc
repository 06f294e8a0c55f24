// rank_test.cc: the order of rules for one path.
// Not here: depth.
#include "policy/rank.h"

#include <gtest/gtest.h>

namespace pinfold::policy {
namespace {

TEST(Rank, AWorkspaceRanksBetweenItsSourceAndTheWeakerOne) {
  const PathRule preset{"/x", Access::kRead, Missing::kSkip, {Source::kPreset, ""}};
  const PathRule by_default{"/x", Access::kWrite, Missing::kError, {Source::kPreset, ""}, true};
  const PathRule user{"/x", Access::kRead, Missing::kError, {Source::kUserFile, ""}};
  const PathRule given{"/x", Access::kRead, Missing::kError, {Source::kFlag, ""}, true};
  const PathRule flag{"/x", Access::kRead, Missing::kError, {Source::kFlag, ""}};
  EXPECT_LT(rank(preset), rank(by_default));
  EXPECT_LT(rank(by_default), rank(user));
  EXPECT_LT(rank(user), rank(given));
  EXPECT_LT(rank(given), rank(flag));
}

}  // namespace
}  // namespace pinfold::policy
