// base_property_test.cc: globs, paths, units and line diffs against slow, obvious models.
// Invariant: the models are recursive and copy freely; they share no code with the functions under test.
// Not here: hostile lengths (glob_test.cc, fuzz/).
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "base/glob.h"
#include "base/line_diff.h"
#include "base/paths.h"
#include "base/property.h"
#include "base/units.h"

namespace pinfold {
namespace {

using Words = std::vector<std::string>;

std::string random_text(const Words& pieces, int most) {
  std::string out;
  for (int i = *rc::gen::inRange(0, most + 1); i > 0; --i) out += *rc::gen::elementOf(pieces);
  return out;
}

Words split(const std::string& text, char by) {
  Words out{""};
  for (const char c : text) {
    if (c == by)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

// ---- globs, without escapes and with classes of plain letters, so that the model stays obvious ----

Words braces_expanded(const std::string& pattern) {
  const std::size_t open = pattern.find('{');
  if (open == std::string::npos) return {pattern};
  const std::size_t close = pattern.find('}', open);
  Words out;
  for (const std::string& one : split(pattern.substr(open + 1, close - open - 1), ','))
    for (std::string& whole : braces_expanded(pattern.substr(0, open) + one + pattern.substr(close + 1)))
      out.push_back(std::move(whole));
  return out;
}

bool name_matches(const std::string& pattern, const std::string& name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return name_matches(pattern.substr(1), name) || (!name.empty() && name_matches(pattern, name.substr(1)));
  if (name.empty()) return false;
  if (pattern[0] == '[') {
    const std::size_t close = pattern.find(']', 1);
    std::string inside = pattern.substr(1, close - 1);
    const bool negated = inside[0] == '!';
    if (negated) inside.erase(0, 1);
    const bool in = inside.size() == 3 && inside[1] == '-' ? name[0] >= inside[0] && name[0] <= inside[2]
                                                           : inside.find(name[0]) != std::string::npos;
    return in != negated && name_matches(pattern.substr(close + 1), name.substr(1));
  }
  return (pattern[0] == '?' || pattern[0] == name[0]) && name_matches(pattern.substr(1), name.substr(1));
}

// "**" stands for zero or more names, at the end for one or more.
bool names_match(const Words& pattern, std::size_t p, const Words& names, std::size_t n) {
  if (p == pattern.size()) return n == names.size();
  if (pattern[p] == "**") {
    if (p + 1 == pattern.size()) return n < names.size();
    for (std::size_t skip = n; skip <= names.size(); ++skip)
      if (names_match(pattern, p + 1, names, skip)) return true;
    return false;
  }
  return n < names.size() && name_matches(pattern[p], names[n]) && names_match(pattern, p + 1, names, n + 1);
}

bool slow_match(const std::string& pattern, const std::string& path) {
  for (std::string one : braces_expanded(pattern)) {
    while (one.ends_with("/")) one.pop_back();
    if (one.find('/') == std::string::npos) one = "**/" + one;
    Words segments;
    for (const std::string& segment : split(one, '/')) {
      if (segment.empty() || segment == ".") continue;
      if (segment == "**" && !segments.empty() && segments.back() == "**") continue;
      segments.push_back(segment);
    }
    if (names_match(segments, 0, split(path, '/'), 0)) return true;
  }
  return false;
}

TEST(GlobProperty, MatchesAsASlowMatcherDoes) {
  int matched = 0;
  EXPECT_EQ(holds("a glob matches what a recursive matcher matches", 3000,
                  [&] {
                    const std::string pattern = random_text({"a", "a", "b", ".", "*", "**", "?", "/", "/", "**/", "/**",
                                                             "[ab]", "[!a]", "[a-c]", "{a,b}", "{a/b,*c}", "{,b}", "c"},
                                                            7);
                    const auto glob = Glob::parse(pattern);
                    if (!glob) return;
                    for (int tries = 0; tries < 4; ++tries) {
                      Words names;
                      for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
                        std::string name = random_text({"a", "b", "c", "."}, 3);
                        if (name.empty() || name == "." || name == "..") name = "a";
                        names.push_back(std::move(name));
                      }
                      std::string path;
                      for (const std::string& name : names) path += (path.empty() ? "" : "/") + name;
                      RC_LOG(pattern + " on " + path + "\n");
                      const bool expected = slow_match(pattern, path);
                      matched += expected ? 1 : 0;
                      RC_ASSERT(glob->matches(path) == expected);
                      // The properties of the pattern must hold for the match.
                      if (expected && glob->absolute())
                        RC_ASSERT(paths::at_or_beneath("/" + path, glob->fixed_prefix()));
                      if (glob->by_name()) RC_ASSERT(glob->matches_name(names.back()) == expected);
                      if (expected && !glob->literal_name().empty()) RC_ASSERT(glob->literal_name() == names.back());
                    }
                  }),
            "");
  EXPECT_GT(matched, enough(1000));
}

// ---- paths ----

TEST(PathsProperty, NormalIsNormal) {
  EXPECT_EQ(
      holds("normal() is idempotent and walks as one would by hand", 1000,
            [] {
              const std::string text = "/" + random_text({"a", "b", "/", "/", ".", "..", "/../", "/./", "..."}, 10);
              Words stack;
              for (const std::string& part : split(text, '/')) {
                if (part.empty() || part == ".") continue;
                if (part != "..")
                  stack.push_back(part);
                else if (!stack.empty())
                  stack.pop_back();
              }
              std::string expected;
              for (const std::string& part : stack) expected += "/" + part;
              if (expected.empty()) expected = "/";
              RC_LOG(text);
              const std::string normal = paths::normal(text);
              RC_ASSERT(normal == expected);
              RC_ASSERT(paths::normal(normal) == normal);
              RC_ASSERT(paths::depth(normal) == stack.size());
              if (normal != "/") {
                RC_ASSERT(paths::normal(paths::join(paths::parent(normal), paths::basename(normal))) == normal);
                RC_ASSERT(paths::beneath(normal, paths::parent(normal)));
                RC_ASSERT(paths::relative(normal, "/") == normal.substr(1));
              }
              RC_ASSERT(!paths::beneath(normal, normal));
            }),
      "");
}

// ---- units ----

TEST(UnitsProperty, FormattedTextRoundTrips) {
  EXPECT_EQ(holds("parse(format(x)) is x", 1000,
                  [] {
                    const auto factor = std::uint64_t{1} << *rc::gen::element(0U, 10U, 20U, 30U, 40U);
                    const std::uint64_t bytes = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 22U) * factor;
                    RC_ASSERT(units::parse_size(units::format_size(bytes)).value() == bytes);
                    const std::int64_t scale = *rc::gen::element<std::int64_t>(1, 1000, 60'000, 3'600'000);
                    const std::chrono::milliseconds time(*rc::gen::inRange<std::int64_t>(1, 800'000) * scale);
                    RC_ASSERT(units::parse_duration(units::format_duration(time)).value() == time);
                  }),
            "");
  for (const std::uint64_t edge : {std::uint64_t{1}, std::uint64_t{INT64_MAX}, std::uint64_t{1} << 62U})
    EXPECT_EQ(units::parse_size(units::format_size(edge)).value(), edge);
}

// ---- differences ----

TEST(LineDiffProperty, AppliedToTheFirstItGivesTheSecond) {
  EXPECT_EQ(holds("the whole difference has both texts in it", 500,
                  [] {
                    const Words lines = {"a\n", "b\n", "c\n", "\n"};
                    const std::string before = random_text(lines, 12);
                    const std::string after = random_text(lines, 12);
                    std::string first;
                    std::string second;
                    std::size_t kept = 0;
                    for (const DiffLine& line : line_diff(before, after, 1000)) {
                      if (line.change != Change::kAdded) first += line.text + "\n";
                      if (line.change != Change::kRemoved) second += line.text + "\n";
                      kept += line.change == Change::kKept ? 1U : 0U;
                    }
                    if (before == after) {
                      RC_ASSERT(first.empty());  // equal texts: no lines
                      return;
                    }
                    RC_ASSERT(first == before);
                    RC_ASSERT(second == after);
                    // With less context, the same changes in the same order.
                    std::size_t few = 0;
                    for (const DiffLine& line : line_diff(before, after, 0)) {
                      RC_ASSERT(line.change != Change::kKept);
                      ++few;
                    }
                    const Words a = split(before, '\n');
                    const Words b = split(after, '\n');
                    RC_ASSERT(few == (a.size() - 1 - kept) + (b.size() - 1 - kept));
                  }),
            "");
}

}  // namespace
}  // namespace pinfold
