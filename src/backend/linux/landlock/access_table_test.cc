// access_table_test.cc: the most specific entry decides.
#include "backend/linux/landlock/access_table.h"

#include <gtest/gtest.h>

namespace pinfold::backend::on_linux {
namespace {

class GroundTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ground_.add("/etc", Standing::kReadOnly, {});
    ground_.add("/ws", Standing::kWritable, {});
    ground_.add("/ws/.git/hooks", Standing::kProtected, {});
    ground_.add("/ws/secret", Standing::kHidden, {});
  }
  Ground ground_;
};

TEST_F(GroundTest, WritableIsWhatLiesInAWritableDirectoryAndNowhereElse) {
  EXPECT_TRUE(ground_.may_change("/ws"));
  EXPECT_TRUE(ground_.may_change("/ws/a/b"));
  EXPECT_FALSE(ground_.may_change("/ws2"));
  EXPECT_FALSE(ground_.may_change("/etc/passwd"));
  EXPECT_FALSE(ground_.may_change("/ws/secret/x"));
  EXPECT_FALSE(ground_.may_change("/ws/.git/hooks/pre-commit"));
  EXPECT_FALSE(ground_.may_change("/"));
  EXPECT_FALSE(ground_.may_change(""));
}

TEST_F(GroundTest, ProtectionHoldsForWhatIsInItAndForWhatItIsIn) {
  EXPECT_NE(ground_.protection("/ws/.git/hooks"), nullptr);
  EXPECT_NE(ground_.protection("/ws/.git/hooks/x"), nullptr);
  EXPECT_EQ(ground_.protection("/ws/.git"), nullptr);
  EXPECT_NE(ground_.protection_below("/ws/.git"), nullptr);
  EXPECT_NE(ground_.protection_below("/ws"), nullptr);
  EXPECT_EQ(ground_.protection_below("/ws/.gi"), nullptr);
  EXPECT_EQ(ground_.protection_below("/ws/.git/hooks"), nullptr);
}

TEST_F(GroundTest, AtOnePathTheStricterStays) {
  ground_.add("/ws/x", Standing::kHidden, {});
  ground_.add("/ws/x", Standing::kWritable, {});
  EXPECT_FALSE(ground_.may_change("/ws/x"));
  ground_.add("/ws/y", Standing::kWritable, {});
  ground_.add("/ws/y", Standing::kProtected, {});
  EXPECT_NE(ground_.protection("/ws/y"), nullptr);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
