// ignore_pattern_test.cc: lines of a .gitignore; tests/files holds them against git itself, over thousands of random
// ones.
#include "files/ignore_pattern.h"

#include <gtest/gtest.h>

namespace pinfold::files {
namespace {

bool matches(std::string_view line, std::string_view path) {
  const auto pattern = IgnorePattern::parse(line);
  return pattern && pattern->matches(path);
}

TEST(IgnorePattern, ANameWithoutSlashMatchesAtAnyDepth) {
  EXPECT_TRUE(matches("foo", "foo"));
  EXPECT_TRUE(matches("foo", "a/b/foo"));
  EXPECT_FALSE(matches("foo", "foobar"));
  EXPECT_TRUE(matches("*.o", "a/b.o"));
  EXPECT_TRUE(matches("f?o*", "x/fxobar"));
}

TEST(IgnorePattern, ASlashAnchors) {
  EXPECT_TRUE(matches("/foo", "foo"));
  EXPECT_FALSE(matches("/foo", "a/foo"));
  EXPECT_TRUE(matches("a/*", "a/b"));
  EXPECT_FALSE(matches("a/*", "a/b/c"));
  EXPECT_TRUE(IgnorePattern::parse("foo/")->directories_only());
  EXPECT_TRUE(matches("foo/", "a/foo"));
}

TEST(IgnorePattern, TwoStarsCrossDirectories) {
  EXPECT_TRUE(matches("**/foo", "foo"));
  EXPECT_TRUE(matches("**/foo", "a/b/foo"));
  EXPECT_TRUE(matches("a/**/b", "a/b"));
  EXPECT_TRUE(matches("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(matches("a/**/b", "axb"));
  EXPECT_TRUE(matches("a/**", "a/x/y"));
  EXPECT_FALSE(matches("a/**", "a"));
  EXPECT_TRUE(matches("**/**/b", "b"));
  EXPECT_TRUE(matches("a/**/**/b", "a/x/b"));
  EXPECT_FALSE(matches("a/x**y", "a/xb/y"));
}

TEST(IgnorePattern, BlanksEscapesAndComments) {
  EXPECT_FALSE(IgnorePattern::parse("# no"));
  EXPECT_FALSE(IgnorePattern::parse(""));
  EXPECT_TRUE(matches("\\#yes", "#yes"));
  EXPECT_TRUE(matches("\\!yes", "!yes"));
  EXPECT_TRUE(matches("x   ", "x"));
  EXPECT_TRUE(matches("x\\ ", "x "));
  EXPECT_TRUE(IgnorePattern::parse("!x")->negated());
  EXPECT_FALSE(IgnorePattern::parse("x*\\"));
}

TEST(IgnorePattern, Sets) {
  EXPECT_TRUE(matches("[a-c]x", "bx"));
  EXPECT_FALSE(matches("[!a-c]x", "bx"));
  EXPECT_TRUE(matches("[]]", "]"));
  EXPECT_TRUE(matches("[[:digit:]]z", "5z"));
  EXPECT_FALSE(matches("[[:nonsense:]]z", "5z"));
  EXPECT_FALSE(matches("[ab", "[ab"));
  EXPECT_FALSE(matches("a/[/]b", "a//b"));
}

TEST(IgnorePattern, HostilePatternsAreCheap) {
  std::string stars;
  for (int i = 0; i < 2000; ++i) stars += "*a";
  EXPECT_FALSE(matches("/" + stars + "b", std::string(4000, 'a')));
  EXPECT_FALSE(IgnorePattern::parse(std::string(100000, '?')));
}

}  // namespace
}  // namespace pinfold::files
