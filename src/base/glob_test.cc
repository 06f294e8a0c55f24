// glob_test.cc: what each pattern matches, and that hostile ones stay cheap.
// Not here: walking directories.
#include "base/glob.h"

#include <gtest/gtest.h>

#include <regex>
#include <string_view>

namespace pinfold {
namespace {

// Every answer is asked of the pattern as an expression, too: the same, or, where it has a class, never less.
bool matches(const char* pattern, const std::string& path) {
  const auto glob = Glob::parse(pattern);
  EXPECT_TRUE(glob) << pattern;
  const bool out = glob && glob->matches(path);
  constexpr std::size_t kShort = 40;
  if (glob && path.size() < kShort && std::string_view(pattern).size() < kShort) {
    const bool found = std::regex_match(path, std::regex(glob->expression(), std::regex::extended));
    EXPECT_TRUE(found || !out) << pattern << " as " << glob->expression() << " misses " << path;
    if (std::string_view(pattern).find('[') == std::string_view::npos) {
      EXPECT_EQ(found, out) << pattern << " as " << glob->expression() << " on " << path;
    }
  }
  return out;
}

TEST(Glob, NamesAtAnyDepth) {
  EXPECT_TRUE(matches("**/.env", ".env"));
  EXPECT_TRUE(matches("**/.env", "a/b/.env"));
  EXPECT_FALSE(matches("**/.env", "a/.env/x"));
  EXPECT_FALSE(matches("**/.env", "a/x.env"));
  EXPECT_TRUE(matches("*.pem", "deep/er/key.pem"));
  EXPECT_TRUE(matches("secrets/", "a/secrets"));
}

TEST(Glob, Wildcards) {
  EXPECT_TRUE(matches("src/*.c", "src/a.c"));
  EXPECT_FALSE(matches("src/*.c", "src/x/a.c"));
  EXPECT_FALSE(matches("src/*.c", "y/src/a.c"));
  EXPECT_TRUE(matches("src/**/*.c", "src/a.c"));
  EXPECT_TRUE(matches("src/**/*.c", "src/x/y/a.c"));
  EXPECT_TRUE(matches("src/**", "src/x/y"));
  EXPECT_FALSE(matches("src/**", "src"));
  EXPECT_TRUE(matches("a/**/b/**/c", "a/x/b/y/b/z/c"));
  EXPECT_FALSE(matches("a/**/b/**/c", "a/x/y/c"));
  EXPECT_TRUE(matches("?x", "ax"));
  EXPECT_FALSE(matches("?x", "x"));
  EXPECT_TRUE(matches("[a-c]1", "b1"));
  EXPECT_FALSE(matches("[a-c]1", "d1"));
  EXPECT_TRUE(matches("[!a-c]1", "d1"));
  EXPECT_TRUE(matches("[]x]", "]"));
  EXPECT_TRUE(matches("a\\*b", "a*b"));
  EXPECT_FALSE(matches("a\\*b", "axb"));
  EXPECT_TRUE(matches("a[1]*", "a1\n\xff"));
  EXPECT_TRUE(matches("**", "a/b"));
}

TEST(Glob, Braces) {
  EXPECT_TRUE(matches("*.{pem,key}", "x/a.key"));
  EXPECT_TRUE(matches("{a,b}/{c,d}", "b/c"));
  EXPECT_FALSE(matches("{a,b}/{c,d}", "a/b"));
  EXPECT_TRUE(matches("x{,.bak}", "x"));
}

TEST(Glob, BadPatternsAreErrors) {
  std::string many;
  for (int i = 0; i < 10; ++i) many += "{a,b}";
  for (const std::string& pattern : {std::string(), std::string("[a"), std::string("{a"), std::string("{a,{b}}"),
                                     std::string("a\\"), std::string("/"), std::string("../x*"), many,
                                     std::string(5000, 'a'), std::string("a\0b", 3), std::string("{/a,b}")})
    EXPECT_FALSE(Glob::parse(pattern)) << pattern;
}

TEST(Glob, AbsolutePatternsHaveALiteralPrefix) {
  EXPECT_EQ(Glob::parse("/srv/data/*/key")->fixed_prefix(), "/srv/data");
  EXPECT_EQ(Glob::parse("/**/key")->fixed_prefix(), "/");
  EXPECT_EQ(Glob::parse("/srv/{a,b}/*.x")->fixed_prefix(), "/srv");
  EXPECT_EQ(Glob::parse("/srv/a[b]")->fixed_prefix(), "/srv");
  EXPECT_TRUE(Glob::parse("/srv/*/key")->matches("srv/a/key"));
  EXPECT_EQ(Glob::parse("**/.env")->literal_name(), ".env");
  EXPECT_TRUE(Glob::parse("*.{a,b}")->by_name());
  EXPECT_FALSE(Glob::parse("x/*.a")->by_name());
}

TEST(Glob, HostilePatternsAreBounded) {
  std::string pattern = "x/";
  for (int i = 0; i < 100; ++i) pattern += "*a";
  std::string deep = "x";
  for (int i = 0; i < 60; ++i) pattern += "/**/a";
  for (int i = 0; i < 1500; ++i) deep += "/a";
  EXPECT_FALSE(matches(pattern.c_str(), "x/" + std::string(255, 'a') + "b"));
  EXPECT_FALSE(matches(pattern.c_str(), deep));
}

TEST(Glob, AnEscapedPatternMatchesOnlyItself) {
  for (const char* path : {"/home/a[1]", "/h/*", "/h/{a,b}", "/h/back\\slash", "/plain"}) {
    const auto glob = Glob::parse(Glob::escaped(path) + "/x*");
    ASSERT_TRUE(glob) << path;
    EXPECT_TRUE(glob->matches(std::string(path).substr(1) + "/x1")) << path;
    EXPECT_FALSE(glob->matches("h/other/x1")) << path;
    EXPECT_FALSE(glob->matches("home/a1/x1")) << path;
  }
}

}  // namespace
}  // namespace pinfold
