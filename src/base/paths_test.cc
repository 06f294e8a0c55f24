// paths_test.cc: lexical paths.
// Not here: symlinks.
#include "base/paths.h"

#include <gtest/gtest.h>

namespace pinfold::paths {
namespace {

TEST(Paths, NormalCollapses) {
  EXPECT_EQ(normal("/"), "/");
  EXPECT_EQ(normal("//a///b/"), "/a/b");
  EXPECT_EQ(normal("/a/./b/../c"), "/a/c");
  EXPECT_EQ(normal("/../../etc"), "/etc");
  EXPECT_EQ(normal("/a/.."), "/");
  EXPECT_EQ(normal("/a/..b/...c"), "/a/..b/...c");
  EXPECT_EQ(normal("/a\n/b\xff"), "/a\n/b\xff");
}

TEST(Paths, BeneathComparesComponents) {
  EXPECT_TRUE(beneath("/a/b", "/a"));
  EXPECT_FALSE(beneath("/ab", "/a"));
  EXPECT_FALSE(beneath("/a", "/a"));
  EXPECT_TRUE(at_or_beneath("/a", "/a"));
  EXPECT_TRUE(beneath("/a", "/"));
  EXPECT_FALSE(beneath("/", "/"));
  EXPECT_FALSE(beneath("/", "/a"));
}

TEST(Paths, Parts) {
  EXPECT_EQ(depth("/"), 0U);
  EXPECT_EQ(depth("/a/b"), 2U);
  EXPECT_EQ(parent("/a/b"), "/a");
  EXPECT_EQ(parent("/a"), "/");
  EXPECT_EQ(parent("/"), "/");
  EXPECT_EQ(basename("/a/b"), "b");
  EXPECT_EQ(basename("/"), "");
  EXPECT_EQ(join("/", "a"), "/a");
  EXPECT_EQ(join("/a", "b/c"), "/a/b/c");
  EXPECT_EQ(relative("/a/b/c", "/a"), "b/c");
  EXPECT_EQ(relative("/a", "/"), "a");
  EXPECT_EQ(relative("/a", "/a"), "");
}

TEST(Paths, HashOfAPrefixIsTheHashOfItsText) {
  std::uint64_t value = kHashStart;
  for (const char byte : std::string_view("/usr")) value = hash_step(value, byte);
  EXPECT_EQ(value, hash("/usr"));
  EXPECT_NE(hash("/usr"), hash("/us"));
}

}  // namespace
}  // namespace pinfold::paths
