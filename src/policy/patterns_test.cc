// patterns_test.cc: several patterns at once.
// Not here: each pattern's meaning (base/glob_test.cc).
#include "policy/patterns.h"

#include <gtest/gtest.h>

namespace pinfold::policy {
namespace {

const Origin kPreset{Source::kPreset, "preset moderate"};
const Origin kFlag{Source::kFlag, "--hide"};

TEST(Patterns, TheLatestSourceIsNamed) {
  const auto set = PatternSet::build(
      {{"**/.env", kPreset}, {".e*", kFlag}, {"a/*", kPreset}, {"/srv/*.k", kFlag}, {".env", kPreset}});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->match(".env", "x/.env"), 1);
  EXPECT_EQ(set->match("b", "a/b"), 2);
  EXPECT_EQ(set->match("b", "b"), PatternSet::kNone);
  EXPECT_EQ(set->match_absolute("/srv/a.k"), 3);
  EXPECT_EQ(set->match_absolute("/srv/.env"), PatternSet::kNone);
  EXPECT_EQ(set->absolute_prefixes(), std::vector<std::string>{"/srv"});
}

TEST(Patterns, AnInvalidPatternNamesItsOrigin) {
  const auto set = PatternSet::build({{"[", kFlag}});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().text().rfind("--hide: ", 0), 0U);
}

}  // namespace
}  // namespace pinfold::policy
