// render_test.cc: the text on stderr.
#include "report/render.h"

#include <gtest/gtest.h>

namespace pinfold::report {
namespace {

TEST(Summary, IsEmptyWhenNothingHappened) { EXPECT_EQ(denial_summary(Report{}, TextFormat{Colour::kOn, 0}), ""); }

TEST(Summary, NamesAttemptRuleAndFlag) {
  Report report;
  report.denials = {{"read", "/home/ada/.ssh", "not visible: no rule grants this path", "--read /home/ada/.ssh"},
                    {"write", "/etc/x", "read-only (preset moderate)", "--write /etc/x", DenialSource::kKernel, 3}};
  EXPECT_EQ(denial_summary(report, TextFormat{}),
            "pinfold: denied 2 things:\n"
            "  read   /home/ada/.ssh  not visible: no rule grants this path  allow: --read /home/ada/.ssh\n"
            "  write  /etc/x (×3)     read-only (preset moderate)            allow: --write /etc/x\n");
  EXPECT_EQ(denial_summary(report, TextFormat{Colour::kOff, 80}),
            "pinfold: denied 2 things:\n"
            "  read /home/ada/.ssh\n"
            "      not visible: no rule grants this path\n"
            "      allow: --read /home/ada/.ssh\n"
            "  write /etc/x (×3)\n"
            "      read-only (preset moderate)\n"
            "      allow: --write /etc/x\n");
}

TEST(Summary, AConditionStandsBehindTheFlag) {
  Report report;
  report.denials = {{"create", "/ws/.vscode", "protected name .vscode", "--write /ws/.vscode"},
                    {"connect", "c.a.org:80", "denied by --net '!c.a.org'", ""}};
  report.denials[0].allow_note = "once it exists";
  report.denials[1].allow_note = "leave out --net '!c.a.org'";
  EXPECT_EQ(denial_summary(report, TextFormat{}),
            "pinfold: denied 2 things:\n"
            "  create   /ws/.vscode  protected name .vscode      allow: --write /ws/.vscode (once it exists)\n"
            "  connect  c.a.org:80   denied by --net '!c.a.org'  allow: leave out --net '!c.a.org'\n");
}

TEST(Summary, IsCappedAndEscaped) {
  Report report;
  for (int i = 0; i < 13; ++i) report.denials.push_back({"read", "/a\x1b[2J\n", "r", ""});
  report.notes = {"undone \x07"};
  const std::string text = denial_summary(report, TextFormat{});
  EXPECT_NE(text.find("  and 3 more (pinfold log --denied)\n"), std::string::npos);
  EXPECT_NE(text.find("read  /a\\x1b[2J\\n"), std::string::npos);
  EXPECT_NE(text.find("pinfold: note: undone \\x07\n"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Summary, CutsLongNamesAtACharacter) {
  Report report;
  std::string name;
  while (name.size() < 4096) name += "é";
  report.denials = {{"read", name, "r", "--read x"}};
  EXPECT_LT(denial_summary(report, TextFormat{}).size(), 300u);
  EXPECT_EQ(visible(denial_summary(report, TextFormat{})).find("\\x"), std::string::npos);
}

TEST(OutcomeMessage, IsEmptyForACommandThatRan) {
  EXPECT_EQ(outcome_message(Exited{1}, Colour::kOff), "");
  EXPECT_EQ(outcome_message(Signaled{9, ""}, Colour::kOff), "");
}

TEST(OutcomeMessage, NamesReasonAndFix) {
  EXPECT_EQ(outcome_message(Refused{RefusedBy::kEnforcement, "files.hidden is partial: x", "enable y"}, Colour::kOff),
            "pinfold: refused: files.hidden is partial: x\n  fix: enable y\n");
  EXPECT_EQ(outcome_message(Refused{RefusedBy::kAdvice, "advice (delete-root): deletes all", "x"}, Colour::kOff),
            "pinfold: refused by advice (delete-root): deletes all\n  fix: x\n");
  EXPECT_EQ(outcome_message(SetupFailed{SetupStage::kNotFound, "foo", ""}, Colour::kOff), "pinfold: not found: foo\n");
  EXPECT_EQ(outcome_message(TimedOut{std::chrono::milliseconds(1500)}, Colour::kOff),
            "pinfold: timed out: stopped after 1500 ms\n  fix: allow more with --timeout\n");
  EXPECT_EQ(outcome_message(Signaled{9, "limit.memory"}, Colour::kOff),
            "pinfold: stopped: limit.memory was reached (SIGKILL)\n  fix: allow more with --memory\n");
}

TEST(OutcomeMessage, IndentsSeveralProblems) {
  EXPECT_EQ(outcome_message(SetupFailed{SetupStage::kSandbox, "a\nb\x1b", ""}, Colour::kOff),
            "pinfold: error:\n  a\n  b\\x1b\n");
}

TEST(CoverageTable, ListsGapsWithFixes) {
  EXPECT_EQ(coverage_table({{"files.read", Need::kRequired, Strength::kEnforced, "mounts", "", ""},
                            {"limit.memory", Need::kBestEffort, Strength::kPartial, "watch", "polled", "use cgroups"}},
                           TextFormat{}),
            "  step          need         strength  by\n"
            "  files.read    required     enforced  mounts\n"
            "  limit.memory  best effort  partial   watch\n"
            "\ngaps\n"
            "  limit.memory: polled\n"
            "    fix: use cgroups\n");
}

}  // namespace
}  // namespace pinfold::report
