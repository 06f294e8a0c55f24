// text_test.cc: how the file tools handle text: kinds, line ends, replacement, differences, literals.
#include <gtest/gtest.h>

#include <re2/re2.h>

#include "base/property.h"
#include "files/content.h"
#include "files/ignore_rules.h"
#include "files/literal.h"
#include "files/matcher.h"
#include "files/replace.h"
#include "files/unified_diff.h"

namespace pinfold::files {
namespace {

TEST(Content, KindsAndLineEnds) {
  EXPECT_EQ(content_of("caf\xC3\xA9\n"), Content::kUtf8);
  EXPECT_EQ(content_of("caf\xE9\n"), Content::kOther);
  EXPECT_EQ(content_of(std::string("a\0b", 3)), Content::kBinary);
  EXPECT_EQ(line_ends_of("a\nb\n"), LineEnds::kLf);
  EXPECT_EQ(line_ends_of("a\r\nb\r\n"), LineEnds::kCrLf);
  EXPECT_EQ(line_ends_of("a\r\nb\n"), LineEnds::kMixed);
  EXPECT_EQ(with_line_ends("a\nb\r\n", LineEnds::kCrLf), "a\r\nb\r\n");
  EXPECT_EQ(with_line_ends("a\r\nb\n", LineEnds::kLf), "a\nb\n");
}

TEST(ReplaceExact, OnceOrEverywhere) {
  EXPECT_EQ(replace_exact("a b c", {"b", "x"})->text, "a x c");
  EXPECT_FALSE(replace_exact("a b b", {"b", "x"}));
  EXPECT_EQ(replace_exact("a b b", {"b", "x", true})->text, "a x x");
  EXPECT_EQ(replace_exact("abc", {"d", "x"}).error().kind(), ErrorKind::kNotFound);
  EXPECT_FALSE(replace_exact("abc", {"", "x"}));
  EXPECT_FALSE(replace_exact("abc", {"b", "b"}));
  const auto many = replace_exact("x\nx\nx\n", {"x", "y"});
  EXPECT_NE(many.error().text().find("3 times (lines 1, 2, 3)"), std::string::npos) << many.error().text();
}

TEST(ReplaceExact, KeepsLineEnds) {
  EXPECT_EQ(replace_exact("a\r\nb\r\nc\r\n", {"a\nb\n", "x\ny\n"})->text, "x\r\ny\r\nc\r\n");
  EXPECT_EQ(replace_exact("a\r\nb\r\n", {"b", "x\ny"})->text, "a\r\nx\r\ny\r\n");
  EXPECT_EQ(replace_exact("a\nb\nc\n", {"a\r\nb", "x\ny"})->text, "x\ny\nc\n");
}

TEST(UnifiedDiff, HasHunksThatPatchReads) {
  EXPECT_EQ(unified_diff("a\n", "a\n", "f", OldFile::kPresent), "");
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n", "f", OldFile::kPresent),
            "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff("", "a\n", "f", OldFile::kMissing), "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a", "a\n", "f", OldFile::kPresent),
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  std::string long_text;
  for (int i = 0; i < 30; ++i) long_text += std::to_string(i) + "\n";
  std::string changed = long_text;
  changed.replace(changed.find("5\n"), 1, "five");
  changed.replace(changed.find("25\n"), 2, "more\nand more");
  const std::string diff = unified_diff(long_text, changed, "f", OldFile::kPresent);
  EXPECT_NE(diff.find("@@ -3,7 +3,7 @@"), std::string::npos) << diff;
  EXPECT_NE(diff.find("@@ -23,7 +23,8 @@"), std::string::npos) << diff;
}

TEST(Literal, IsFoundAtAnyPosition) {
  const std::string text = std::string(100, 'a') + "needle" + std::string(100, 'b') + "needle";
  EXPECT_EQ(find_literal(text, "needle", 0), 100u);
  EXPECT_EQ(find_literal(text, "needle", 101), 206u);
  EXPECT_EQ(find_literal(text, "needles", 0), std::string::npos);
  EXPECT_EQ(find_literal("xy", "xy", 0), 0u);
  EXPECT_EQ(count_lines("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n"), 11u);
}

TEST(Literal, RequiredOnesAreInEveryMatch) {
  EXPECT_EQ(required_literal("foo.*barbaz"), "barbaz");
  EXPECT_EQ(required_literal("abc?"), "ab");
  EXPECT_EQ(required_literal("a|b"), "");
  EXPECT_EQ(required_literal("(?i)foo"), "");
  EXPECT_EQ(required_literal("\\bword\\b"), "word");
  EXPECT_EQ(required_literal("x{2}"), "");
  EXPECT_EQ(required_literal("caf\xC3\xA9*x"), "caf");
  EXPECT_EQ(holds("a match contains the literal", 3000,
                  [] {
                    const auto alphabet = rc::gen::elementOf(std::string("aab.*+?[]^$\\bwd-"));
                    const std::string expression = *rc::gen::container<std::string>(alphabet);
                    const std::string line =
                        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abw-.*")));
                    RE2::Options quiet;
                    quiet.set_log_errors(false);
                    const RE2 compiled(expression, quiet);
                    if (!compiled.ok()) return;
                    re2::StringPiece hit;
                    if (!compiled.Match(line, 0, line.size(), RE2::UNANCHORED, &hit, 1)) return;
                    RC_ASSERT(line.find(required_literal(expression)) != std::string::npos);
                  }),
            "");
}

TEST(Matcher, MatchesWithinOneLine) {
  const auto matcher = Matcher::compile("b[^x]*d", {});
  ASSERT_TRUE(matcher);
  EXPECT_EQ(matcher->next_line("a b\nd\nb c d\n", 0), 6u);
  EXPECT_EQ(Matcher::compile("$", {})->next_line("", 0), std::string::npos);
  EXPECT_FALSE(Matcher::compile("(", {}));
  EXPECT_FALSE(Matcher::compile("a\nb", {}));
}

TEST(IgnoreRules, TheDeepestFileAndTheLastLineDecide) {
  Ignores top = with(nullptr, IgnoreFile::parse("\xEF\xBB\xBF*.log\r\nbuild/\n", "/r", "/r/.gitignore"));
  Ignores sub = with(top, IgnoreFile::parse("!keep.log\n", "/r/sub", "/r/sub/.gitignore"));
  EXPECT_TRUE(ignored_by(top, "/r/a.log", EntryKind::kOther));
  EXPECT_TRUE(ignored_by(top, "/r/build", EntryKind::kDirectory));
  EXPECT_FALSE(ignored_by(top, "/r/build", EntryKind::kOther));
  EXPECT_FALSE(ignored_by(sub, "/r/sub/keep.log", EntryKind::kOther));
  EXPECT_TRUE(ignored_by(sub, "/r/sub/other.log", EntryKind::kOther));
  EXPECT_EQ(words_of(ignored_by(top, "/r/build", EntryKind::kDirectory)), "git-ignored (/r/.gitignore:2: build/)");
}

}  // namespace
}  // namespace pinfold::files
