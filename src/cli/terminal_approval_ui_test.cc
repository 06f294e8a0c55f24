// terminal_approval_ui_test.cc: the text of a request. Keys and terminals: tests/approvals.
#include "cli/terminal_approval_ui.h"

#include <gtest/gtest.h>

namespace pinfold::cli {
namespace {

ApprovalRequest sample() {
  ApprovalRequest out;
  out.id = 1;
  out.operation = "read";
  out.resource = "/home/ada/.ssh/id_ed25519";
  out.named = "../.ssh/id_ed25519";
  out.program = "cat";
  out.rule = "not visible: no rule grants this path";
  out.grant = Grant{Grant::Kind::kRead, "/home/ada/.ssh/id_ed25519"};
  out.risk = {RiskLevel::kHigh, "whoever reads it can log in as you"};
  return out;
}

TEST(QuestionText, NamesTheAccessAndTheGrant) {
  EXPECT_EQ(request_text(sample(), "make all", {}),
            "\npinfold: cat wants to read\n"
            "  what   /home/ada/.ssh/id_ed25519\n"
            "  named  ../.ssh/id_ed25519\n"
            "  in     make all\n"
            "  risk   high: whoever reads it can log in as you\n"
            "  rule   not visible: no rule grants this path\n"
            "  grant  --read /home/ada/.ssh/id_ed25519 (session, always); once allows only this call\n"
            "  [o] once   [s] for this session   [a] always   [d] deny (Enter)\n");
}

TEST(QuestionText, OffersOnlyPossibleDecisions) {
  ApprovalRequest only_once = sample();
  only_once.grant.reset();
  EXPECT_NE(request_text(only_once, "", {}).find("\n  [o] once   [d] deny (Enter)\n"), std::string::npos);
  ApprovalRequest only_lasting = sample();
  only_lasting.once = false;
  EXPECT_EQ(request_text(only_lasting, "", {}).find("[o]"), std::string::npos);
}

TEST(QuestionText, ShowsHostileTextEscaped) {
  ApprovalRequest hostile = sample();
  hostile.resource = "/tmp/\x1b[2J\n[a] always\u202e\u200b";
  hostile.program = "x\ry";
  const std::string text = request_text(hostile, "a\nb", {});
  for (const char* bad : {"\x1b", "\r", "\u202e", "\u200b"}) EXPECT_EQ(text.find(bad), std::string::npos);
  EXPECT_EQ(text.find("\n[a]"), std::string::npos);
}

}  // namespace
}  // namespace pinfold::cli
