// grants_test.cc: which flag is offered for which path.
#include "plan/grants.h"

#include <gtest/gtest.h>

#include <string>

namespace pinfold::plan {
namespace {

TEST(ToolchainRoot, IsTheFolderThatAToolNeeds) {
  const std::string home = "/home/ada";
  EXPECT_EQ(toolchain_root("/home/ada/.pyenv/versions/3.11/bin/python", home), "/home/ada/.pyenv");
  EXPECT_EQ(toolchain_root("/home/ada/.local/share/mise/installs/node", home), "/home/ada/.local/share/mise");
  EXPECT_EQ(toolchain_root("/home/ada/.local/bin/x", home), "/home/ada/.local/bin");
  EXPECT_EQ(toolchain_root("/home/ada/go/bin/x", home), "/home/ada/go");
  EXPECT_EQ(toolchain_root("/home/ada/work/project/bin/x", home), "/home/ada/work/project/bin/x");
  EXPECT_EQ(toolchain_root("/home/ada/.ssh/bin/x", home), "/home/ada/.ssh/bin/x");
  EXPECT_EQ(toolchain_root("/home/ada/.bashrc", home), "/home/ada/.bashrc");
  EXPECT_EQ(toolchain_root("/opt/x/lib/y", home), "/opt/x");
  EXPECT_EQ(toolchain_root("/etc/x/bin", home), "/etc/x/bin");
}

}  // namespace
}  // namespace pinfold::plan
