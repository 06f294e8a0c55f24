// error_line_test.cc: failures and names of single lines.
#include "report/error_line.h"

#include <string>

#include <gtest/gtest.h>

namespace pinfold::report {
namespace {

std::string names(std::string_view line) {
  const auto error = read_error_line(line);
  if (!error) return "-";
  std::string out;
  for (std::size_t i = 0; i < error->count; ++i) out += "[" + std::string(error->names[i]) + "]";
  return out;
}

TEST(ErrorLine, OnlyErrorLinesCount) {
  EXPECT_EQ(names("all is well in /etc/passwd"), "-");
  EXPECT_EQ(names(""), "-");
  EXPECT_EQ(names("Permission denied"), "-");
}

TEST(ErrorLine, FindsNames) {
  EXPECT_EQ(names("cat: a b.txt: Permission denied"), "[a b.txt]");
  EXPECT_EQ(names("sh: 1: cannot create x.txt: Permission denied"), "[x.txt]");
  EXPECT_EQ(names("rm: cannot remove 'it's': Operation not permitted"), "[it's]");
  EXPECT_EQ(names("can't open '/a' or \"/b\""), "[/a][/b]");
  EXPECT_EQ(names("zsh: command not found: foo"), "[zsh][foo]");
}

TEST(ErrorLine, AShellWordOfSeveralPiecesIsOneName) {
  EXPECT_EQ(names(R"(cat: '/etc/shadow'$'\377': No such file or directory)"), R"([/etc/shadow'$'\377])");
  EXPECT_EQ(names(R"(cat: '/a'$'\'''b': Permission denied)"), R"([/a'$'\'''b])");
  EXPECT_EQ(names(R"(cat: ''$'\n''/etc/shadow': Permission denied)"), R"(['$'\n''/etc/shadow])");
  EXPECT_EQ(names(R"(cat: '/x'$'\37: Permission denied)"), "[/x]");
}

TEST(ErrorLine, TheStrongestPhraseDecides) {
  EXPECT_EQ(read_error_line("cannot open /x: Read-only file system")->failure, Failure::kReadOnly);
  EXPECT_EQ(read_error_line("cannot open /x")->failure, Failure::kUnclear);
  EXPECT_EQ(read_error_line("x: PERMISSION DENIED")->failure, Failure::kDenied);
  EXPECT_EQ(read_error_line("mkdir: /x: ENOENT")->intent, Intent::kCreate);
}

TEST(ErrorLine, NeverMoreThanTheBound) {
  std::string line = "x: Permission denied:";
  for (int i = 0; i < 100; ++i) line += " /p" + std::to_string(i);
  EXPECT_EQ(read_error_line(line)->count, ErrorLine::kMostNames);
}

}  // namespace
}  // namespace pinfold::report
