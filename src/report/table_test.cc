// table_test.cc: alignment, with and without colour.
#include "report/table.h"

#include <gtest/gtest.h>

namespace pinfold::report {
namespace {

TEST(Table, AlignsByCharactersNotBytes) {
  EXPECT_EQ(table({{{"é"}, {"x"}}, {{"abc"}, {"y"}}}, 2, Colour::kOff), "  é    x\n  abc  y\n");
}

TEST(Table, LeavesNoTrailingBlanks) {
  EXPECT_EQ(table({{{"a"}, {""}}, {{"bb"}, {"c"}}, {{""}}}, 1, Colour::kOff), " a\n bb  c\n\n");
}

TEST(Table, ColourDoesNotMoveColumns) {
  EXPECT_EQ(table({{{"a", Paint::kBad}, {"x"}}, {{"bb"}, {"y"}}}, 0, Colour::kOn), "\x1b[31ma\x1b[0m   x\nbb  y\n");
}

}  // namespace
}  // namespace pinfold::report
