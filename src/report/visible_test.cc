// visible_test.cc: escapes for terminals, on hostile bytes.
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "report/render.h"

namespace pinfold::report {
namespace {

using namespace std::string_literals;

TEST(Visible, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(visible("/home/ada/été/日本語 x.txt"), "/home/ada/été/日本語 x.txt");
  EXPECT_EQ(visible(""), "");
}

TEST(Visible, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(visible("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(visible("\x1b[31mred\x1b]0;t\x07"), "\\x1b[31mred\\x1b]0;t\\x07");
  EXPECT_EQ(visible("a\0b"s), "a\\x00b");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m")
                .find('\x9b'),
            std::string::npos);  // C1 CSI
}

TEST(Visible, EscapesBidiZeroWidthAndTags) {
  for (const char* text : {"a\u202Etxt.exe", "a\u200Bb", "\uFEFF", "\u2066", "\U000E0041"})
    EXPECT_NE(visible(text).find("\\u{"), std::string::npos) << text;
}

TEST(Visible, EscapesInvalidUtf8ByteByByte) {
  EXPECT_EQ(visible("a\xff\xc3(b"), "a\\xff\\xc3(b");
  EXPECT_EQ(visible("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(visible("\xe2\x82"), "\\xe2\\x82");           // cut short
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Visible, IsIdempotent) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(visible(visible(all)), visible(all));
  EXPECT_TRUE(is_utf8(visible(all)));
}

TEST(Visible, KeepsLinesWhenAsked) { EXPECT_EQ(visible_lines("a\x1b\nb\n"), "a\\x1b\nb\n"); }

TEST(Utf8, DecoderAndEncoderAgree) {
  EXPECT_TRUE(is_utf8("é日\U0001F600"));
  EXPECT_FALSE(is_utf8("\xc0\xaf"));
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));
  EXPECT_FALSE(is_utf8("a\xe2\x82"));
}

}  // namespace
}  // namespace pinfold::report
