// journal_entry_test.cc: every kind of line, written and parsed; bounds, redaction, ASCII; invalid lines.
#include "session/journal_entry.h"

#include <gtest/gtest.h>

namespace pinfold::session {
namespace {

JournalEntry with(decltype(JournalEntry::event) event) {
  return {Moment{} + std::chrono::milliseconds(1'794'776'101'123), "00ff00ff00ff", std::move(event)};
}

Denial denial_of(std::string operation, std::string resource, std::string rule, std::string allow_with = {}) {
  Denial out;
  out.operation = std::move(operation);
  out.resource = std::move(resource);
  out.rule = std::move(rule);
  out.allow_with = std::move(allow_with);
  return out;
}

template <typename T>
T again(const T& what) {
  const std::string line = line_of(with(what));
  EXPECT_TRUE(line.ends_with('\n'));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_LE(line.size(), kLongestLine);
  for (const char c : line) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
  const auto entry = entry_of(std::string_view(line).substr(0, line.size() - 1));
  if (!entry || !std::holds_alternative<T>(entry->event)) {
    ADD_FAILURE() << line;
    return {};
  }
  EXPECT_EQ(entry->run, "00ff00ff00ff");
  EXPECT_EQ(timestamp(entry->time), "2026-11-15T20:55:01.123Z");
  return std::get<T>(entry->event);
}

TEST(JournalLine, StartRoundTrips) {
  const RunStart got = again(RunStart{{"make", "a b", "é\x1b"}, "/w", {"/w", "/v"}, "moderate", 42});
  EXPECT_EQ(got.argv, (std::vector<std::string>{"make", "a b", "é\x1b"}));
  EXPECT_EQ(got.working_dir, "/w");
  EXPECT_EQ(got.workspaces.size(), 2u);
  EXPECT_EQ(got.profile, "moderate");
  EXPECT_EQ(got.pid, 42);
}

TEST(JournalLine, DenialRoundTrips) {
  Denial denial = denial_of("read", "/home/ada/.x", "hidden", "--read /home/ada/.x");
  denial.source = DenialSource::kObserved;
  denial.count = 7;
  denial.program = "node";
  const RunDenial got = again(RunDenial{denial});
  EXPECT_EQ(got.denial.resource, denial.resource);
  EXPECT_EQ(got.denial.allow_with, denial.allow_with);
  EXPECT_EQ(got.denial.source, DenialSource::kObserved);
  EXPECT_EQ(got.denial.count, 7u);
  EXPECT_EQ(got.denial.program, "node");
}

TEST(JournalLine, EveryOutcomeRoundTrips) {
  EXPECT_EQ(std::get<Exited>(again(RunEnd{Exited{3}, "native", std::chrono::milliseconds(5), 2}).outcome).code, 3);
  EXPECT_EQ(std::get<Signaled>(again(RunEnd{Signaled{9, "limit.memory"}}).outcome).by, "limit.memory");
  EXPECT_EQ(std::get<TimedOut>(again(RunEnd{TimedOut{std::chrono::milliseconds(9)}}).outcome).after.count(), 9);
  EXPECT_EQ(std::get<Refused>(again(RunEnd{Refused{RefusedBy::kEnforcement, "no", ""}}).outcome).by,
            RefusedBy::kEnforcement);
  EXPECT_EQ(std::get<SetupFailed>(again(RunEnd{SetupFailed{SetupStage::kNotFound, "no", "x"}}).outcome).stage,
            SetupStage::kNotFound);
}

TEST(JournalLine, RequestAndDecisionRoundTrip) {
  EXPECT_EQ(again(RunHostUse{"paste", "clipboard", 12, ""}).bytes, 12U);
  EXPECT_EQ(again(RunApprovalRequest{"q1", "connect", "example.org:443", "curl", "no rule"}).resource,
            "example.org:443");
  for (const ApprovalDecision decision :
       {ApprovalDecision::kDeny, ApprovalDecision::kOnce, ApprovalDecision::kSession, ApprovalDecision::kAlways})
    EXPECT_EQ(again(RunDecision{"q1", decision, "terminal"}).decision, decision);
}

TEST(JournalLine, SecretsAreRedacted) {
  std::string lines = line_of(with(RunStart{{"sh", "-c", "TOKEN=hunter2 x --password hunter2"}, "/w"}));
  lines += line_of(with(RunDenial{denial_of("connect", "https://ada:hunter2@host", "r", "--net https://a:hunter2@h")}));
  lines += line_of(with(RunEnd{Refused{RefusedBy::kPolicy, "PASSWORD=hunter2", "API_KEY=hunter2"}}));
  lines += line_of(with(RunApprovalRequest{"q", "connect", "https://ada:hunter2@host", "", "TOKEN=hunter2"}));
  EXPECT_EQ(lines.find("hunter2"), std::string::npos) << lines;
  // Redacted before it is cut, so that the beginning of a secret is removed, too.
  const std::string long_secret = "PASSWORD='" + std::string(100'000, 'h') + "'";
  EXPECT_EQ(line_of(with(RunStart{{"x", long_secret}})).find("hhhh"), std::string::npos);
  // Nor in base64, the encoding of bytes that are not UTF-8.
  EXPECT_EQ(line_of(with(RunDenial{denial_of("read", "/TOKEN=hunter2\xff", "r")})).find("resource_bytes"),
            std::string::npos);
  EXPECT_NE(line_of(with(RunDenial{denial_of("read", "/x\xff", "r")})).find("resource_bytes"), std::string::npos);
}

TEST(JournalLine, IsBoundedForAnyContent) {
  for (const std::string& text : {std::string(100'000, 'x'), std::string(100'000, '\x01'), std::string(100'000, '\xff'),
                                  std::string(9000, ' '), std::string(70'000, '\\'), std::string(60, '\x01')}) {
    again(RunStart{std::vector<std::string>(300, text), text, std::vector<std::string>(9, text), text, 1});
    again(RunDenial{denial_of(text, text, text, text)});
    again(RunEnd{SetupFailed{SetupStage::kSandbox, text, text}, text});
    again(RunApprovalRequest{text, text, text, text, text});
  }
}

TEST(JournalLine, RefusesInvalidLines) {
  const std::string good = line_of(with(RunStart{{"x"}}));
  for (std::size_t cut = 0; cut + 2 < good.size(); ++cut)
    EXPECT_FALSE(entry_of(std::string_view(good).substr(0, cut))) << cut;
  for (const char* line :
       {"", "{}", "[]", "null", "1", "{\"schema\":\"pinfold.journal/2\",\"time\":\"\"}",
        R"({"schema":"pinfold.journal/1","time":"x","run":"a","kind":"end"})",
        R"({"schema":"pinfold.journal/1","time":"2026-11-15T20:55:01.123Z","run":"a","kind":"end"})",
        R"({"schema":"pinfold.journal/1","time":"2026-11-15T20:55:01.123Z","run":7,"kind":"grant"})"})
    EXPECT_FALSE(entry_of(line)) << line;
  const auto later =
      entry_of(R"({"schema":"pinfold.journal/1","time":"2026-11-15T20:55:01.123Z","run":null,"kind":"grant"})");
  ASSERT_TRUE(later);
  EXPECT_EQ(std::get<UnknownEntry>(later->event).kind, "grant");
}

}  // namespace
}  // namespace pinfold::session
