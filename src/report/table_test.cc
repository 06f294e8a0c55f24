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

TEST(Table, WrapsALongLastColumn) {
  const std::vector<std::vector<Cell>> rows = {{{"a"}, {"one two three four five six seven"}}, {{"bb"}, {"é"}}};
  EXPECT_EQ(table(rows, 2, TextFormat{Colour::kOff, 27}),
            "  a   one two three four\n"
            "      five six seven\n"
            "  bb  é\n");
  EXPECT_EQ(table(rows, 2, TextFormat{Colour::kOff, 20}), table(rows, 2, Colour::kOff));  // too narrow to be any use
  EXPECT_EQ(table({{{std::string(50, 'x')}}}, 0, TextFormat{Colour::kOff, 30}), std::string(50, 'x') + "\n");
  EXPECT_EQ(table({{{std::string(50, 'x') + " y"}}}, 0, TextFormat{Colour::kOff, 30}), std::string(50, 'x') + "\ny\n");
}

}  // namespace
}  // namespace pinfold::report
