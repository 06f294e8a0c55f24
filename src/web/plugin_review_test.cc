// review_desk_test.cc: one decision, about what was shown, by somebody who checked the box.
#include "web/review_desk.h"

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

TEST(ReviewDesk, DecidesOnce) {
  std::vector<std::string> told;
  EXPECT_FALSE(ReviewDesk::open("[]", {}));
  EXPECT_FALSE(ReviewDesk::open("{\"permissions_hash\": 1}", {}));
  auto desk = ReviewDesk::open(R"({"permissions_hash": "p", "files_hash": "f"})",
                               [&](const std::string& word) { told.push_back(word); });
  ASSERT_TRUE(desk);
  EXPECT_FALSE(desk->decide({"allow", false, "p", "f"}));
  EXPECT_FALSE(desk->decide({"allow", true, "q", "f"}));
  EXPECT_FALSE(desk->decide({"allow", true, "p", "g"}));
  EXPECT_FALSE(desk->decide({"maybe", true, "p", "f"}));
  EXPECT_TRUE(told.empty());
  EXPECT_TRUE(desk->decide({"allow", true, "p", "f"}));
  EXPECT_FALSE(desk->decide({"deny", false, "p", "f"}));
  EXPECT_EQ(told, std::vector<std::string>{"allow"});
}

}  // namespace
}  // namespace pinfold::web
