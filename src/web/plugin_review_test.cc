// plugin_review_test.cc: one decision, only for the shown hashes, with the box checked.
#include "web/plugin_review.h"

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

TEST(PluginReview, DecidesOnce) {
  std::vector<std::string> reported;
  EXPECT_FALSE(PluginReview::open("[]", {}));
  EXPECT_FALSE(PluginReview::open("{\"permissions_hash\": 1}", {}));
  auto review = PluginReview::open(R"({"permissions_hash": "p", "files_hash": "f"})",
                                   [&](const std::string& word) { reported.push_back(word); });
  ASSERT_TRUE(review);
  EXPECT_FALSE(review->decide({"allow", false, "p", "f"}));
  EXPECT_FALSE(review->decide({"allow", true, "q", "f"}));
  EXPECT_FALSE(review->decide({"allow", true, "p", "g"}));
  EXPECT_FALSE(review->decide({"maybe", true, "p", "f"}));
  EXPECT_TRUE(reported.empty());
  EXPECT_TRUE(review->decide({"allow", true, "p", "f"}));
  EXPECT_FALSE(review->decide({"deny", false, "p", "f"}));
  EXPECT_EQ(reported, std::vector<std::string>{"allow"});
}

}  // namespace
}  // namespace pinfold::web
