// message_test.cc: every message is parsed as it was written; invalid ones are refused.
#include "control/message.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pinfold::control {
namespace {

template <typename Kind>
Kind again(const Request& message) {
  auto parsed = parse_request(to_text(message));
  if (!parsed) ADD_FAILURE() << parsed.error().text();
  return parsed ? std::get<Kind>(*parsed) : Kind{};
}

template <typename Kind>
Kind again(const Event& message) {
  auto parsed = parse_event(to_text(message));
  if (!parsed) ADD_FAILURE() << parsed.error().text();
  return parsed ? std::get<Kind>(*parsed) : Kind{};
}

request::Run a_run() {
  request::Run run;
  run.launch.argv = {"sh", "-c", "echo \xff\xfe \xc3\xa9", ""};
  run.launch.working_dir = "/tmp/\x80";
  run.launch.variables = {{"A", "b=c", {}}, {"ODD", "\xff", {}}};
  run.launch.stdio[0] = run.launch.stdio[2] = backend::StdioKind::kTerminal;
  run.launch.terminal.c_lflag = 0x8a3b;
  run.launch.terminal.c_cc[3] = 255;
  run.launch.terminal_size = {24, 80, 1, 2};
  run.launch.signals = backend::SignalState::kFresh;
  run.directory = request::Directory::kIfShown;
  run.knows_limits = true;
  return run;
}

Denial a_denial() { return {"read", "/x\xff", "a rule", "--read /x", DenialSource::kObserved, 7, "h", "1.2.3.4", 443}; }

TEST(ControlMessage, RunRequestRoundTrips) {
  const auto run = again<request::Run>(a_run());
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
  EXPECT_EQ(run.directory, request::Directory::kIfShown);
  EXPECT_TRUE(run.knows_limits);
}

TEST(ControlMessage, EveryRequestRoundTrips) {
  EXPECT_EQ(again<request::Signal>(request::Signal{15}).number, 15);
  EXPECT_EQ(again<request::InferDenials>(request::InferDenials{{"a", "b\xff"}}).complaints[1], "b\xff");
  const auto decide = again<request::Decide>(request::Decide{7, ApprovalDecision::kSession});
  EXPECT_EQ(decide.request, 7u);
  EXPECT_EQ(decide.decision, ApprovalDecision::kSession);
  EXPECT_EQ(again<request::Revoke>(request::Revoke{3}).grant, 3u);
  const std::vector<Request> all = {request::Terminate{}, request::Kill{},     request::Usage{}, request::Drain{},
                                    request::Watch{},     request::Describe{}, request::Stop{}};
  for (const Request& each : all) {
    const auto parsed = parse_request(to_text(each));
    ASSERT_TRUE(parsed) << to_text(each);
    EXPECT_EQ(parsed->index(), each.index()) << to_text(each);
  }
}

TEST(ControlMessage, EveryEventRoundTrips) {
  EXPECT_TRUE(again<event::CommandStart>(event::CommandStart{"native", true}).has_terminal);
  const auto failed = again<event::Failure>(event::Failure{Error(ErrorKind::kNotFound, "no\xff", "fix"), {a_denial()}});
  EXPECT_EQ(failed.error.kind(), ErrorKind::kNotFound);
  EXPECT_EQ(failed.error.text(), "no\xff");
  ASSERT_EQ(failed.denials.size(), 1u);
  EXPECT_EQ(failed.denials[0].resource, "/x\xff");
  EXPECT_EQ(failed.denials[0].count, 7u);
  EXPECT_EQ(failed.denials[0].port, 443);
  EXPECT_EQ(failed.denials[0].source, DenialSource::kObserved);
  const auto limits = again<event::Limits>(event::Limits{{{LimitKind::kOutputSize, 12}}});
  EXPECT_EQ(limits.limits.at(0).kind, LimitKind::kOutputSize);
  Usage usage;
  usage.cpu = std::chrono::microseconds(5);
  usage.peak_memory = 6;
  usage.processes = 7;
  const auto ended = again<event::CommandEnd>(event::CommandEnd{0x8b00, usage});
  EXPECT_EQ(ended.wait_status, 0x8b00);
  EXPECT_EQ(ended.usage.processes, 7u);
  EXPECT_EQ(again<event::AccessDenial>(event::AccessDenial{a_denial()}).denial.rule, "a rule");
  Denial conditional = a_denial();
  conditional.allow_note = "once it exists";
  EXPECT_EQ(again<event::AccessDenial>(event::AccessDenial{conditional}).denial.allow_note, "once it exists");
  EXPECT_EQ(again<event::Breach>(event::Breach{a_denial(), "note"}).note, "note");
  EXPECT_EQ(again<event::SandboxEnd>(event::SandboxEnd{"why"}).why, "why");
  EXPECT_FALSE(again<event::TreeUsage>(event::TreeUsage{}).usage);
  EXPECT_EQ(again<event::TreeUsage>(event::TreeUsage{backend::TreeUsage{1, 2, std::chrono::milliseconds(3), true}})
                .usage->processes,
            2u);
  EXPECT_EQ(again<event::InferredDenials>(event::InferredDenials{{a_denial()}}).denials.size(), 1u);
  event::Description described;
  described.name = "n";
  described.kind = SandboxKind::kRun;
  described.argv = {"sh", "-c", "x\xff"};
  described.coverage = {{"files.read", Need::kRequired, Strength::kPartial, "m", "g", "f"}};
  const auto back = again<event::Description>(described);
  EXPECT_EQ(back.coverage.at(0).strength, Strength::kPartial);
  EXPECT_EQ(back.coverage.at(0).fix, "f");
  EXPECT_EQ(back.kind, SandboxKind::kRun);
  EXPECT_EQ(back.argv, described.argv);
}

TEST(ControlMessage, WatchEventsRoundTrip) {
  ApprovalRequest request;
  request.id = 9;
  request.operation = "read";
  request.resource = "/x\xff";
  request.named = "../x";
  request.program = "cat";
  request.pid = 77;
  request.rule = "a rule";
  request.grant = Grant{Grant::Kind::kWrite, "/x"};
  request.once = false;
  request.risk = {RiskLevel::kHigh, "words"};
  const auto back = again<event::PendingRequest>(event::PendingRequest{request}).request;
  EXPECT_EQ(back.id, 9u);
  EXPECT_EQ(back.resource, "/x\xff");
  EXPECT_EQ(back.named, "../x");
  EXPECT_EQ(back.grant, request.grant);
  EXPECT_FALSE(back.once);
  EXPECT_EQ(back.risk.level, RiskLevel::kHigh);
  EXPECT_EQ(back.risk.words, "words");
  request.grant.reset();
  EXPECT_FALSE(again<event::PendingRequest>(event::PendingRequest{request}).request.grant);
  EXPECT_EQ(again<event::RequestEnd>(event::RequestEnd{9, ApprovalDecision::kAlways}).decision,
            ApprovalDecision::kAlways);
  EXPECT_FALSE(again<event::RequestEnd>(event::RequestEnd{9, {}}).decision);
  const Connection connection{"h", "1.2.3.4", 443, 5, 6, std::chrono::milliseconds(7), "finished"};
  EXPECT_EQ(again<event::ConnectionEnd>(event::ConnectionEnd{connection}).connection.bytes_down, 6u);
  const auto grants =
      again<event::Grants>(event::Grants{{{4, {Grant::Kind::kNetwork, "h:443"}, ApprovalDecision::kAlways, 11}}});
  ASSERT_EQ(grants.grants.size(), 1u);
  EXPECT_EQ(grants.grants[0].grant.resource, "h:443");
  EXPECT_EQ(grants.grants[0].decision, ApprovalDecision::kAlways);
  EXPECT_EQ(grants.grants[0].since, 11);
  EXPECT_TRUE(again<event::Acknowledgement>(event::Acknowledgement{true}).counted);
}

TEST(ControlMessage, ReportsAnotherProtocolVersion) {
  for (const char* text : {R"({"v":2,"ask":"stop"})", R"({"ask":"stop"})", R"({"v":"1","ask":"stop"})"}) {
    const auto parsed = parse_request(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().text().find("another version"), std::string::npos) << parsed.error().text();
    EXPECT_FALSE(parsed.error().fix().empty());
  }
}

TEST(ControlMessage, RefusesInvalidMessages) {
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
  EXPECT_TRUE(parse_request(R"({"v":1,"ask":"run","argv":["x"],)" + run + "}"));  // the unchanged message is valid
  for (const std::string& text : wrong) EXPECT_FALSE(parse_request(text)) << text.substr(0, 200);
  EXPECT_FALSE(parse_event(R"({"v":1,"tell":"ended","status":-1,"usage":{}})"));
  EXPECT_FALSE(parse_event(R"({"v":1,"tell":"ended","status":1,"usage":{"cpu_us":1}})"));
}

TEST(ControlMessage, RefusesTruncatedMessages) {
  const std::string whole = to_text(Request(a_run()));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_request(std::string_view(whole).substr(0, size)));
  const std::string event = to_text(Event(event::Failure{Error(ErrorKind::kSystem, "x"), {a_denial()}}));
  for (std::size_t size = 0; size < event.size(); ++size)
    EXPECT_FALSE(parse_event(std::string_view(event).substr(0, size)));
}

}  // namespace
}  // namespace pinfold::control
