// text_test.cc: escaping of untrusted text.
// Not here: terminals.
#include "base/text.h"

#include <gtest/gtest.h>

namespace pinfold::text {
namespace {

TEST(Text, PlainTextIsUnchanged) {
  EXPECT_EQ(shown("/home/ada/projet é 漢"), "/home/ada/projet é 漢");
  EXPECT_EQ(shell_word("/usr/bin/x-1"), "/usr/bin/x-1");
}

TEST(Text, ControlBidiAndBrokenBytesAreEscaped) {
  EXPECT_EQ(shown("a\nb\tc\x1b[31m"), "a\\nb\\tc\\x1b[31m");
  EXPECT_EQ(shown("a\xff"
                  "b"),
            "a\\xffb");
  EXPECT_EQ(shown("\xe2\x80\xae"
                  "txt"),
            "\\u{202e}txt");
  EXPECT_EQ(shown("\xe2\x80\x8b"), "\\u{200b}");
  EXPECT_EQ(shown("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(shown("\xe2\x80"), "\\xe2\\x80");
}

TEST(Text, ShellWordsRoundTrip) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("a\nb"), "$'a\\x0ab'");
  EXPECT_EQ(shell_word("~x"), "'~x'");
}

}  // namespace
}  // namespace pinfold::text
