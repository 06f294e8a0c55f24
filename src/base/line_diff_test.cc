// line_diff_test.cc: the lines for two texts, and the bound for very different texts.
// Not here: that nothing gets lost (base_property_test.cc).
#include "base/line_diff.h"

#include <gtest/gtest.h>

namespace pinfold {
namespace {

std::string diff(std::string_view before, std::string_view after, std::size_t context) {
  std::string out;
  for (const DiffLine& line : line_diff(before, after, context))
    out += (line.change == Change::kKept ? " " : line.change == Change::kAdded ? "+" : "-") + line.text + "|";
  return out;
}

TEST(LineDiff, ChangesWithTheirContext) {
  EXPECT_EQ(diff("a\nb\nc\nd\n", "a\nb\nx\nd\n", 1), " b|-c|+x| d|");
  EXPECT_EQ(diff("a\nb\n", "a\nb\n", 3), "");
  EXPECT_EQ(diff("", "a\n", 3), "+a|");
  EXPECT_EQ(diff("a\n", "", 3), "-a|");
  EXPECT_EQ(diff("a\nb\nc\nd\ne\n", "b\nc\nd\n", 0), "-a|-e|");
}

TEST(LineDiff, HugeTextsAreWhollyReplaced) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += "x" + std::to_string(i) + "\n";
    after += "y" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(line_diff(before, after, 2).size(), 10000U);
}

}  // namespace
}  // namespace pinfold
