// command_line_test.cc: both kinds of readers read any quoted text back unchanged.
#include "backend/windows/command_line.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "backend/windows/argv_readers.h"
#include "base/utf16.h"

namespace pinfold::backend::on_windows {
namespace {

using Argv = std::vector<std::string>;

Argv read_back(const std::u16string& line, ArgvRules rules) {
  Argv out;
  for (const std::u16string& word : read_argv(line, rules)) out.push_back(to_utf8(word).value_or("?"));
  return out;
}

std::string line_of(const Argv& argv) {
  const auto line = command_line(argv);
  return line ? to_utf8(*line).value_or("?") : "error: " + line.error().text();
}

TEST(WindowsCommandLine, QuotesOnlyIfNeeded) {
  EXPECT_EQ(line_of({"a.exe", "plain", "C:\\x\\y"}), R"("a.exe" plain C:\x\y)");
  EXPECT_EQ(line_of({"a b.exe", "", "two words"}), R"("a b.exe" "" "two words")");
  EXPECT_EQ(quote_argument("tab\there"), "\"tab\there\"");
  EXPECT_EQ(quote_argument("line\nbreak"), "\"line\nbreak\"");
}

TEST(WindowsCommandLine, BackslashesBeforeQuotes) {
  EXPECT_EQ(quote_argument(R"(a"b)"), R"("a\"b")");
  EXPECT_EQ(quote_argument(R"(a\"b)"), R"("a\\\"b")");
  EXPECT_EQ(quote_argument(R"(a\\"b)"), R"("a\\\\\"b")");
  EXPECT_EQ(quote_argument(R"(C:\dir with space\)"), R"("C:\dir with space\\")");
  EXPECT_EQ(quote_argument(R"(C:\dir\)"), R"(C:\dir\)");
  EXPECT_EQ(quote_argument(R"(")"), R"("\"")");
}

TEST(WindowsCommandLine, RefusesInexpressibleArguments) {
  EXPECT_FALSE(command_line({}));
  EXPECT_FALSE(command_line({""}));
  EXPECT_FALSE(command_line({"a\"b.exe"}));
  EXPECT_FALSE(command_line({"a.exe", std::string("x\0y", 3)}));
  EXPECT_FALSE(command_line({"a.exe", "\xFF"}));
  EXPECT_FALSE(command_line({"a.exe", std::string(40000, 'x')}));
  EXPECT_TRUE(command_line({"a.exe", std::string(32757, 'x')}));
  EXPECT_FALSE(command_line({"a.exe", std::string(32759, 'x')}));
}

TEST(WindowsCommandLine, OnlyProgramsAreStarted) {
  for (const char* file : {"C:\\x\\a.exe", "a.EXE", "more.com", "a.bat.exe"}) EXPECT_TRUE(check_program(file)) << file;
  for (const char* file : {"a.bat", "A.CMD", "a.bat.", "a.cmd  ", "a.bat . .", "a.bat::$DATA", "a.ps1", "a.py", "a",
                           "a.exe.", "a.exe:x", "", ".", "a.lnk", "a.vbs"}) {
    const auto fine = check_program(file);
    ASSERT_FALSE(fine) << file;
    EXPECT_EQ(fine.error().kind(), ErrorKind::kRefused) << file;
    EXPECT_FALSE(fine.error().fix().empty()) << file;
  }
  EXPECT_NE(check_program("x.Bat ").error().text().find("batch file"), std::string::npos);
}

// Texts of characters that are special to argv parsers, cmd.exe, PowerShell or the terminal.
std::string hostile_text(std::mt19937& random, std::size_t longest) {
  static const std::vector<std::string> pieces = {
      "\\", "\\\\", "\"", "\"\"", " ",  "\t",   "\n", "\r",   "a",    "b c",          "%PATH%", "^",    "&",
      "|",  "<",    ">",  "'",    "`",  "$(x)", "é",  "日本", "😀",    "\xE2\x80\xAE", "\\\"",   "\"\\", "!",
      ";",  ",",    "=",  "/c",   "--", "\v",   "\f", "\x01", "\x7F", "\u00A0",       "*.txt",  "@file"};
  std::string out;
  const std::size_t count = random() % (longest + 1);
  for (std::size_t i = 0; i < count; ++i) out += pieces[random() % pieces.size()];
  return out;
}

TEST(WindowsCommandLine, QuotedTextRoundTrips) {
  std::mt19937 random(20260101);
  for (int round = 0; round < 20000; ++round) {
    Argv argv = {"C:\\Program Files\\a b\\p.exe"};
    for (std::size_t n = random() % 6; n > 0; --n) argv.push_back(hostile_text(random, 8));
    const auto line = command_line(argv);
    ASSERT_TRUE(line);
    ASSERT_EQ(read_back(*line, ArgvRules::kOld), argv) << line_of(argv);
    ASSERT_EQ(read_back(*line, ArgvRules::kNew), argv) << line_of(argv);
  }
}

// Every text of up to six of these: no random miss.
TEST(WindowsCommandLine, EveryShortTextRoundTrips) {
  const std::string letters = "\\\" a\t";
  std::vector<std::string> all = {""};
  for (std::size_t begin = 0, length = 0; length < 6; ++length) {
    const std::size_t end = all.size();
    for (; begin < end; ++begin)
      for (const char c : letters) all.push_back(all[begin] + c);
  }
  ASSERT_EQ(all.size(), 19531U);
  for (const std::string& text : all) {
    const Argv argv = {"p.exe", text, "end"};
    const auto line = command_line(argv);
    ASSERT_TRUE(line);
    ASSERT_EQ(read_back(*line, ArgvRules::kOld), argv) << line_of(argv);
    ASSERT_EQ(read_back(*line, ArgvRules::kNew), argv) << line_of(argv);
  }
}

// The readers themselves: the examples that Microsoft documents for the C runtime.
TEST(WindowsCommandLine, ReadersFollowTheDocumentedExamples) {
  const auto words = [](const std::string& line, ArgvRules rules) {
    return read_back(to_utf16("p.exe " + line).value_or(u""), rules);
  };
  for (const ArgvRules rules : {ArgvRules::kOld, ArgvRules::kNew}) {
    EXPECT_EQ(words(R"("abc" d e)", rules), (Argv{"p.exe", "abc", "d", "e"}));
    EXPECT_EQ(words(R"(a\\b d"e f"g h)", rules), (Argv{"p.exe", R"(a\\b)", "de fg", "h"}));
    EXPECT_EQ(words(R"(a\\\"b c d)", rules), (Argv{"p.exe", R"(a\"b)", "c", "d"}));
    EXPECT_EQ(words(R"(a\\\\"b c" d e)", rules), (Argv{"p.exe", R"(a\\b c)", "d", "e"}));
  }
  EXPECT_EQ(words(R"("a""b" c)", ArgvRules::kNew), (Argv{"p.exe", R"(a"b)", "c"}));
}

}  // namespace
}  // namespace pinfold::backend::on_windows
