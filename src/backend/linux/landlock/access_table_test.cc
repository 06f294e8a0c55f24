// access_table_test.cc: the most specific entry decides.
#include "backend/linux/landlock/access_table.h"

#include <gtest/gtest.h>

namespace pinfold::backend::on_linux {
namespace {

class AccessTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    table_.add("/etc", PathAccess::kReadOnly, {});
    table_.add("/ws", PathAccess::kWritable, {});
    table_.add("/ws/.git/hooks", PathAccess::kProtected, {});
    table_.add("/ws/secret", PathAccess::kHidden, {});
  }
  AccessTable table_;
};

TEST_F(AccessTableTest, OnlyPathsBelowWritableDirectoriesAreWritable) {
  EXPECT_TRUE(table_.may_change("/ws"));
  EXPECT_TRUE(table_.may_change("/ws/a/b"));
  EXPECT_FALSE(table_.may_change("/ws2"));
  EXPECT_FALSE(table_.may_change("/etc/passwd"));
  EXPECT_FALSE(table_.may_change("/ws/secret/x"));
  EXPECT_FALSE(table_.may_change("/ws/.git/hooks/pre-commit"));
  EXPECT_FALSE(table_.may_change("/"));
  EXPECT_FALSE(table_.may_change(""));
}

TEST_F(AccessTableTest, ProtectionCoversContentsAndParents) {
  EXPECT_NE(table_.protection("/ws/.git/hooks"), nullptr);
  EXPECT_NE(table_.protection("/ws/.git/hooks/x"), nullptr);
  EXPECT_EQ(table_.protection("/ws/.git"), nullptr);
  EXPECT_NE(table_.protection_below("/ws/.git"), nullptr);
  EXPECT_NE(table_.protection_below("/ws"), nullptr);
  EXPECT_EQ(table_.protection_below("/ws/.gi"), nullptr);
  EXPECT_EQ(table_.protection_below("/ws/.git/hooks"), nullptr);
}

TEST_F(AccessTableTest, TheStricterAccessOfOnePathWins) {
  table_.add("/ws/x", PathAccess::kHidden, {});
  table_.add("/ws/x", PathAccess::kWritable, {});
  EXPECT_FALSE(table_.may_change("/ws/x"));
  table_.add("/ws/y", PathAccess::kWritable, {});
  table_.add("/ws/y", PathAccess::kProtected, {});
  EXPECT_NE(table_.protection("/ws/y"), nullptr);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
