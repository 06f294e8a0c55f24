// message_test.cc: what is said is understood, and nothing else is.
#include "control/message.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pinfold::control {
namespace {

template <typename Kind>
Kind again(const Asked& message) {
  auto parsed = parse_asked(to_text(message));
  if (!parsed) ADD_FAILURE() << parsed.error().text();
  return parsed ? std::get<Kind>(*parsed) : Kind{};
}

template <typename Kind>
Kind again(const Told& message) {
  auto parsed = parse_told(to_text(message));
  if (!parsed) ADD_FAILURE() << parsed.error().text();
  return parsed ? std::get<Kind>(*parsed) : Kind{};
}

ask::Run a_run() {
  ask::Run run;
  run.launch.argv = {"sh", "-c", "echo \xff\xfe \xc3\xa9", ""};
  run.launch.working_dir = "/tmp/\x80";
  run.launch.variables = {{"A", "b=c", {}}, {"ODD", "\xff", {}}};
  run.launch.stdio[0] = run.launch.stdio[2] = backend::StdioKind::kTerminal;
  run.launch.terminal.c_lflag = 0x8a3b;
  run.launch.terminal.c_cc[3] = 255;
  run.launch.terminal_size = {24, 80, 1, 2};
  run.launch.signals = backend::SignalState::kFresh;
  run.directory = ask::Directory::kIfShown;
  run.knows_limits = true;
  return run;
}

Denial a_denial() { return {"read", "/x\xff", "a rule", "--read /x", DenialSource::kObserved, 7, "h", "1.2.3.4", 443}; }

TEST(ControlMessage, ARunComesBackAsItWas) {
  const auto run = again<ask::Run>(a_run());
  EXPECT_EQ(run.launch.argv, a_run().launch.argv);
  EXPECT_EQ(run.launch.working_dir, "/tmp/\x80");
  ASSERT_EQ(run.launch.variables.size(), 2u);
  EXPECT_EQ(run.launch.variables[1].value, "\xff");
  EXPECT_EQ(run.launch.stdio[0], backend::StdioKind::kTerminal);
  EXPECT_EQ(run.launch.stdio[1], backend::StdioKind::kPass);
  EXPECT_EQ(run.launch.terminal.c_lflag, 0x8a3bu);
  EXPECT_EQ(run.launch.terminal.c_cc[3], 255);
  EXPECT_EQ(run.launch.terminal_size.ws_col, 80);
  EXPECT_EQ(run.launch.signals, backend::SignalState::kFresh);
  EXPECT_EQ(run.directory, ask::Directory::kIfShown);
  EXPECT_TRUE(run.knows_limits);
}

TEST(ControlMessage, EveryQuestionComesBackAsItWas) {
  EXPECT_EQ(again<ask::Signal>(ask::Signal{15}).number, 15);
  EXPECT_EQ(again<ask::Judge>(ask::Judge{{"a", "b\xff"}}).complaints[1], "b\xff");
  const auto answer = again<ask::Answer>(ask::Answer{7, Answer::kSession});
  EXPECT_EQ(answer.question, 7u);
  EXPECT_EQ(answer.answer, Answer::kSession);
  EXPECT_EQ(again<ask::Revoke>(ask::Revoke{3}).grant, 3u);
  const std::vector<Asked> all = {ask::Terminate{}, ask::Kill{},     ask::Usage{}, ask::Drain{},
                                  ask::Watch{},     ask::Describe{}, ask::Stop{}};
  for (const Asked& each : all) {
    const auto parsed = parse_asked(to_text(each));
    ASSERT_TRUE(parsed) << to_text(each);
    EXPECT_EQ(parsed->index(), each.index()) << to_text(each);
  }
}

TEST(ControlMessage, EveryAnswerComesBackAsItWas) {
  EXPECT_TRUE(again<tell::Started>(tell::Started{"native", true}).has_terminal);
  const auto failed = again<tell::Failed>(tell::Failed{Error(ErrorKind::kNotFound, "no\xff", "fix"), {a_denial()}});
  EXPECT_EQ(failed.error.kind(), ErrorKind::kNotFound);
  EXPECT_EQ(failed.error.text(), "no\xff");
  ASSERT_EQ(failed.denials.size(), 1u);
  EXPECT_EQ(failed.denials[0].resource, "/x\xff");
  EXPECT_EQ(failed.denials[0].count, 7u);
  EXPECT_EQ(failed.denials[0].port, 443);
  EXPECT_EQ(failed.denials[0].source, DenialSource::kObserved);
  const auto limits = again<tell::Limits>(tell::Limits{{{LimitKind::kOutputSize, 12}}});
  EXPECT_EQ(limits.limits.at(0).kind, LimitKind::kOutputSize);
  Usage usage;
  usage.cpu = std::chrono::microseconds(5);
  usage.peak_memory = 6;
  usage.processes = 7;
  const auto ended = again<tell::Ended>(tell::Ended{0x8b00, usage});
  EXPECT_EQ(ended.wait_status, 0x8b00);
  EXPECT_EQ(ended.usage.processes, 7u);
  EXPECT_EQ(again<tell::Denied>(tell::Denied{a_denial()}).denial.rule, "a rule");
  EXPECT_EQ(again<tell::Breached>(tell::Breached{a_denial(), "note"}).note, "note");
  EXPECT_EQ(again<tell::Gone>(tell::Gone{"why"}).why, "why");
  EXPECT_FALSE(again<tell::Used>(tell::Used{}).usage);
  EXPECT_EQ(
      again<tell::Used>(tell::Used{backend::TreeUsage{1, 2, std::chrono::milliseconds(3), true}}).usage->processes, 2u);
  EXPECT_EQ(again<tell::Judged>(tell::Judged{{a_denial()}}).denials.size(), 1u);
  tell::Described described;
  described.name = "n";
  described.kind = SandboxKind::kRun;
  described.argv = {"sh", "-c", "x\xff"};
  described.coverage = {{"files.read", Need::kRequired, Strength::kPartial, "m", "g", "f"}};
  const auto back = again<tell::Described>(described);
  EXPECT_EQ(back.coverage.at(0).strength, Strength::kPartial);
  EXPECT_EQ(back.coverage.at(0).fix, "f");
  EXPECT_EQ(back.kind, SandboxKind::kRun);
  EXPECT_EQ(back.argv, described.argv);
}

TEST(ControlMessage, WhatAWatcherHearsComesBackAsItWas) {
  AccessQuestion question;
  question.id = 9;
  question.operation = "read";
  question.resource = "/x\xff";
  question.named = "../x";
  question.program = "cat";
  question.pid = 77;
  question.rule = "a rule";
  question.grant = Grant{Grant::Kind::kWrite, "/x"};
  question.once = false;
  question.risk = {RiskLevel::kHigh, "words"};
  const auto heard = again<tell::Question>(tell::Question{question}).question;
  EXPECT_EQ(heard.id, 9u);
  EXPECT_EQ(heard.resource, "/x\xff");
  EXPECT_EQ(heard.named, "../x");
  EXPECT_EQ(heard.grant, question.grant);
  EXPECT_FALSE(heard.once);
  EXPECT_EQ(heard.risk.level, RiskLevel::kHigh);
  EXPECT_EQ(heard.risk.words, "words");
  question.grant.reset();
  EXPECT_FALSE(again<tell::Question>(tell::Question{question}).question.grant);
  EXPECT_EQ(again<tell::Settled>(tell::Settled{9, Answer::kAlways}).answer, Answer::kAlways);
  EXPECT_FALSE(again<tell::Settled>(tell::Settled{9, {}}).answer);
  const Connection connection{"h", "1.2.3.4", 443, 5, 6, std::chrono::milliseconds(7), "finished"};
  EXPECT_EQ(again<tell::Connected>(tell::Connected{connection}).connection.bytes_down, 6u);
  const auto grants = again<tell::Grants>(tell::Grants{{{4, {Grant::Kind::kNetwork, "h:443"}, Answer::kAlways, 11}}});
  ASSERT_EQ(grants.grants.size(), 1u);
  EXPECT_EQ(grants.grants[0].grant.resource, "h:443");
  EXPECT_EQ(grants.grants[0].answer, Answer::kAlways);
  EXPECT_EQ(grants.grants[0].since, 11);
  EXPECT_TRUE(again<tell::Taken>(tell::Taken{true}).counted);
}

TEST(ControlMessage, AnotherVersionIsSaidToBeOne) {
  for (const char* text : {R"({"v":2,"ask":"stop"})", R"({"ask":"stop"})", R"({"v":"1","ask":"stop"})"}) {
    const auto parsed = parse_asked(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().text().find("another version"), std::string::npos) << parsed.error().text();
    EXPECT_FALSE(parsed.error().fix().empty());
  }
}

TEST(ControlMessage, WhatIsNotOneIsRefused) {
  const std::string run = R"("variables":[],"fresh_signals":true,"knows_limits":true,"terminals":0)";
  const std::vector<std::string> wrong = {
      "",
      "{",
      "[]",
      "null",
      "\xff",
      R"({"v":1})",
      R"({"v":1,"ask":"dance"})",
      R"({"v":1,"ask":7})",
      R"({"v":1,"ask":"stop","more":1})",
      R"({"v":1,"ask":"signal"})",
      R"({"v":1,"ask":"signal","number":0})",
      R"({"v":1,"ask":"signal","number":65})",
      R"({"v":1,"ask":"signal","number":1.5})",
      R"({"v":1,"ask":"signal","number":18446744073709551615})",
      R"({"v":1,"ask":"answer","question":1})",
      R"({"v":1,"ask":"answer","question":1,"answer":"yes"})",
      R"({"v":1,"ask":"answer","question":-1,"answer":"once"})",
      R"({"v":1,"ask":"revoke"})",
      R"({"v":1,"ask":"watch","more":1})",
      R"({"v":1,"ask":"run"})",
      R"({"v":1,"ask":"run","argv":[],)" + run + "}",
      R"({"v":1,"ask":"run","argv":[""],)" + run + "}",
      R"({"v":1,"ask":"run","argv":"ls",)" + run + "}",
      R"({"v":1,"ask":"run","argv":[1],)" + run + "}",
      R"({"v":1,"ask":"run","argv":["a\u0000b"],)" + run + "}",
      R"({"v":1,"ask":"run","argv":[{"base64":"!!!!"}],)" + run + "}",
      R"({"v":1,"ask":"run","argv":["x"],"directory":"rel","if_shown":true,)" + run + "}",
      R"({"v":1,"ask":"run","argv":["x"],"variables":[["A"]],"fresh_signals":true,"knows_limits":true,"terminals":0})",
      R"({"v":1,"ask":"run","argv":["x"],"variables":[["A=B","c"]],"fresh_signals":true,"knows_limits":true,"terminals":0})",
      R"({"v":1,"ask":"run","argv":["x"],"variables":[],"fresh_signals":true,"knows_limits":true,"terminals":8})",
      R"({"v":1,"ask":"run","argv":["x"],"variables":[],"fresh_signals":true,"knows_limits":true,"terminals":1})",
      std::string(100000, '['),
  };
  EXPECT_TRUE(parse_asked(R"({"v":1,"ask":"run","argv":["x"],)" + run + "}"));  // what they are made from is fine
  for (const std::string& text : wrong) EXPECT_FALSE(parse_asked(text)) << text.substr(0, 200);
  EXPECT_FALSE(parse_told(R"({"v":1,"tell":"ended","status":-1,"usage":{}})"));
  EXPECT_FALSE(parse_told(R"({"v":1,"tell":"ended","status":1,"usage":{"cpu_us":1}})"));
}

TEST(ControlMessage, NoPartOfOneIsTakenForOne) {
  const std::string whole = to_text(Asked(a_run()));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_asked(std::string_view(whole).substr(0, size)));
  const std::string told = to_text(Told(tell::Failed{Error(ErrorKind::kSystem, "x"), {a_denial()}}));
  for (std::size_t size = 0; size < told.size(); ++size)
    EXPECT_FALSE(parse_told(std::string_view(told).substr(0, size)));
}

}  // namespace
}  // namespace pinfold::control
