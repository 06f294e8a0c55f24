// conversation_test.cc: both protocol families, line by line, on a manual clock.
#include "mcp/conversation.h"

#include <gtest/gtest.h>

#include <map>

namespace pinfold::mcp {
namespace {

constexpr const char* kInitialized =
    R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"},"instructions":"Hi."})";
constexpr const char* kDiscovered =
    R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"2"}}})";

class McpConversation : public ::testing::Test {
 protected:
  void begin(Settings settings) {
    Conversation::Events events;
    events.send = [this](const std::string& line) { sent_.push_back(*read_json(line)); };
    events.ready = [this](const ServerFacts& facts) { ready_ = facts; };
    events.failed = [this](const Error& error) { failed_ = error.text(); };
    events.notified = [this](const Notification& one) { notified_.push_back(one.method); };
    events.ignored = [this](std::string_view story, std::string_view) { ignored_.emplace_back(story); };
    conversation_ = std::make_unique<Conversation>(std::move(settings), std::move(events));
    conversation_->begin(now_);
  }
  void begin_legacy() {
    Settings settings = settings_;
    settings.known_family = ProtocolFamily::kLegacy;
    begin(std::move(settings));
    answer(1, kInitialized);
    ASSERT_TRUE(conversation_->is_ready());
    sent_.clear();
  }
  void begin_modern() {
    begin(settings_);
    answer(1, kDiscovered);
    ASSERT_TRUE(conversation_->is_ready());
    sent_.clear();
  }
  void receive(const std::string& line) { conversation_->receive(line, now_); }
  void answer(RequestId id, const std::string& result) {
    receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + result + "}");
  }
  void answer_error(RequestId id, int number, const std::string& data = "null") {
    receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" + std::to_string(number) +
            R"(,"message":"no","data":)" + data + "}}");
  }
  void progress(RequestId id, double done) {
    receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"m","progressToken":)" +
            std::to_string(id) + R"(,"progress":)" + std::to_string(done) + "}}");
  }
  void pass(milliseconds time) {
    now_ += time;
    conversation_->tick(now_);
  }
  RequestId call(std::string method = "tools/call") {
    PendingRequest pending;
    pending.method = std::move(method);
    pending.timeouts = {seconds(60), seconds(300)};
    const RequestId expected = conversation_->next_id();
    pending.answer = [this, expected](Answer answer) {
      EXPECT_TRUE(answers_.emplace(expected, std::move(answer)).second);
    };
    pending.progress = [this](const Progress& each) { progress_.push_back(each.done); };
    const auto id = conversation_->request(std::move(pending), {{"name", "t"}}, now_);
    EXPECT_TRUE(id);
    return id.value_or(-1);
  }
  Failure::Kind failure(RequestId id) {
    if (!answers_.contains(id) || answers_.at(id)) return static_cast<Failure::Kind>(-1);
    return answers_.at(id).error().kind;
  }
  // The methods of the sent messages; "=" for an answer.
  std::string methods() const {
    std::string out;
    for (const Json& each : sent_)
      out += (out.empty() ? "" : " ") + (each.contains("method") ? each["method"].get<std::string>() : "=");
    return out;
  }

  Settings settings_;
  Time now_{seconds(1'000'000)};
  std::unique_ptr<Conversation> conversation_;
  std::vector<Json> sent_;
  std::optional<ServerFacts> ready_;
  std::string failed_;
  std::vector<std::string> notified_, ignored_;
  std::map<RequestId, Answer> answers_;
  std::vector<double> progress_;
};

TEST_F(McpConversation, NegotiatesWithAModernServer) {
  begin(settings_);
  EXPECT_EQ(methods(), "server/discover");
  EXPECT_EQ(sent_[0]["params"]["_meta"][meta::kVersion], kModernVersion);
  answer(1, kDiscovered);
  ASSERT_TRUE(ready_);
  EXPECT_EQ(ready_->family, ProtocolFamily::kModern);
  EXPECT_EQ(ready_->name, "m");
  const RequestId id = call();
  EXPECT_EQ(methods(), "server/discover tools/call");
  const Json& meta = sent_[1]["params"]["_meta"];
  EXPECT_EQ(meta[meta::kVersion], kModernVersion);
  EXPECT_TRUE(meta[meta::kCapabilities].is_object());
  EXPECT_EQ(meta[meta::kClientInfo]["name"], "pinfold");
  EXPECT_EQ(meta["progressToken"], id);
  answer(id, R"({"content":[]})");
  EXPECT_TRUE(answers_.at(id));
}

TEST_F(McpConversation, ALegacyServerAnswersTheProbeWithAnError) {
  begin(settings_);
  answer_error(1, code::kNoMethod);
  EXPECT_EQ(methods(), "server/discover initialize");
  EXPECT_EQ(sent_[1]["params"]["protocolVersion"], "2025-11-25");
  answer(2, kInitialized);
  EXPECT_EQ(methods(), "server/discover initialize notifications/initialized");
  ASSERT_TRUE(ready_);
  EXPECT_EQ(ready_->family, ProtocolFamily::kLegacy);
  EXPECT_EQ(ready_->version, "2025-06-18");
  EXPECT_EQ(ready_->instructions, "Hi.");
  EXPECT_TRUE(ready_->tells_changes_of("tools"));
  EXPECT_FALSE(sent_[1]["params"].contains("_meta"));
}

TEST_F(McpConversation, SilenceMeansLegacyAfterTheTimeOut) {
  begin(settings_);
  pass(milliseconds(9'999));
  EXPECT_EQ(methods(), "server/discover");
  pass(milliseconds(1));
  EXPECT_EQ(methods(), "server/discover initialize");  // and the probe was not cancelled
  answer(2, kInitialized);
  EXPECT_TRUE(conversation_->is_ready());
  answer_error(1, code::kNoMethod);
  EXPECT_EQ(conversation_->counts().late, 1U);
}

TEST_F(McpConversation, AModernServerThatStartsSlowlyIsStillModern) {
  begin(settings_);
  pass(seconds(10));
  EXPECT_EQ(methods(), "server/discover initialize");
  answer(1, kDiscovered);
  ASSERT_TRUE(ready_);
  EXPECT_EQ(ready_->family, ProtocolFamily::kModern);
  answer_error(2, code::kNoMethod);  // initialize
  EXPECT_TRUE(conversation_->is_ready());
}

TEST_F(McpConversation, ReportsAnUnsupportedVersion) {
  begin(settings_);
  answer_error(1, code::kNoSuchVersion, R"({"supported":["2027-01-01","2028-01-01"]})");
  EXPECT_NE(failed_.find("2027-01-01, 2028-01-01"), std::string::npos) << failed_;
  begin(settings_);
  answer_error(1, code::kNoSuchVersion, R"({"supported":["2027-01-01","2025-11-25"]})");
  EXPECT_EQ(methods(), "server/discover server/discover initialize");
  begin(settings_);
  answer_error(1, code::kNoSuchVersion, R"({"supported":["2026-07-28"]})");
  EXPECT_EQ(conversation_->facts().family, ProtocolFamily::kModern);
  EXPECT_TRUE(conversation_->is_ready());
}

TEST_F(McpConversation, RefusesADiscoveryWithoutASupportedVersion) {
  begin(settings_);
  answer(1, R"({"supportedVersions":["2030-01-01"]})");
  EXPECT_NE(failed_.find("2030-01-01"), std::string::npos);
  begin(settings_);
  answer(1, R"({"hello":"world"})");  // not a valid answer
  EXPECT_EQ(methods(), "server/discover server/discover initialize");
}

TEST_F(McpConversation, AnUnknownVersionIsRefused) {
  settings_.known_family = ProtocolFamily::kLegacy;
  begin(settings_);
  EXPECT_EQ(methods(), "initialize");
  answer(1, R"({"protocolVersion":"2199-01-01\u202e","capabilities":{}})");
  EXPECT_FALSE(conversation_->is_ready());
  EXPECT_NE(failed_.find("2199-01-01\\u{202e}"), std::string::npos) << failed_;
}

TEST_F(McpConversation, InitializeIsNeverCancelled) {
  settings_.known_family = ProtocolFamily::kLegacy;
  begin(settings_);
  const RequestId early = call();
  conversation_->cancel(1, "me");
  pass(seconds(61));
  EXPECT_EQ(methods(), "initialize");
  EXPECT_FALSE(failed_.empty());
  EXPECT_EQ(failure(early), Failure::Kind::kEnded);
}

TEST_F(McpConversation, CallsWaitForTheHandshake) {
  begin(settings_);
  const RequestId first = call();
  const RequestId second = call();
  conversation_->cancel(second, "not needed");
  EXPECT_EQ(methods(), "server/discover");
  answer(1, kDiscovered);
  EXPECT_EQ(methods(), "server/discover tools/call");  // the cancelled one was never sent
  EXPECT_EQ(sent_[1]["id"], first);
  EXPECT_EQ(failure(second), Failure::Kind::kCancelled);
}

TEST_F(McpConversation, RequestsOfTheServer) {
  settings_.roots.emplace().push_back({"file:///w", "w"});
  begin_legacy();
  receive(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  receive(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})");
  receive(R"({"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"sampling/createMessage","params":{}})");
  ASSERT_EQ(methods(), "= = =");
  EXPECT_EQ(sent_[0]["result"], Json::object());
  EXPECT_EQ(sent_[1]["result"]["roots"][0]["uri"], "file:///w");
  EXPECT_EQ(sent_[1]["id"], "r");
  EXPECT_EQ(sent_[2]["error"]["code"], code::kNoMethod);
  EXPECT_EQ(conversation_->counts().refused_requests, 1U);
}

TEST_F(McpConversation, RootsOnlyIfDeclared) {
  begin_legacy();
  receive(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})");
  EXPECT_EQ(sent_[0]["error"]["code"], code::kNoMethod);
}

TEST_F(McpConversation, CancelsTimedOutCallsAndDropsLateResponses) {
  begin_legacy();
  const RequestId id = call();
  pass(milliseconds(59'999));
  EXPECT_TRUE(answers_.empty());
  pass(milliseconds(1));
  EXPECT_EQ(failure(id), Failure::Kind::kTimedOut);
  EXPECT_EQ(methods(), "tools/call notifications/cancelled");
  EXPECT_EQ(sent_[1]["params"]["requestId"], id);
  answer(id, "{}");
  answer(id, "{}");
  EXPECT_EQ(conversation_->counts().late, 2U);
  EXPECT_EQ(conversation_->next_deadline(), std::nullopt);
}

TEST_F(McpConversation, ProgressRestartsTheTimeOutUpToAMaximum) {
  begin_legacy();
  const RequestId id = call();
  for (int i = 1; i <= 5; ++i) {
    pass(seconds(50));
    progress(id, i);
  }
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(progress_.size(), 5U);
  pass(seconds(49));  // 299
  EXPECT_TRUE(answers_.empty());
  progress(id, 6);
  pass(seconds(1));
  EXPECT_EQ(failure(id), Failure::Kind::kTimedOut);
  progress(id, 7);
  EXPECT_EQ(progress_.size(), 6U);
}

TEST_F(McpConversation, IgnoresProgressThatDoesNotGrow) {
  begin_legacy();
  const RequestId id = call();
  progress(id, 1);
  pass(seconds(50));
  progress(id, 1);
  progress(id, 0.5);
  pass(seconds(10));
  EXPECT_EQ(failure(id), Failure::Kind::kTimedOut);
  EXPECT_EQ(progress_.size(), 1U);
}

TEST_F(McpConversation, Cancelling) {
  begin_modern();
  const RequestId id = call();
  conversation_->cancel(id, "changed my mind");
  EXPECT_EQ(failure(id), Failure::Kind::kCancelled);
  EXPECT_EQ(methods(), "tools/call notifications/cancelled");
  EXPECT_EQ(sent_[1]["params"]["reason"], "changed my mind");
  conversation_->cancel(id, "again");
  answer(id, "{}");
  EXPECT_EQ(sent_.size(), 2U);
  EXPECT_EQ(conversation_->counts().late, 1U);
}

TEST_F(McpConversation, DropsResponsesWithoutARequest) {
  begin_legacy();
  const RequestId id = call();
  answer(id, "{}");
  answer(id, "{}");
  answer(id + 100, "{}");
  answer_error(id + 1, -1);
  receive(R"({"jsonrpc":"2.0","id":"2","result":{}})");  // a string is not the number 2
  receive(R"({"jsonrpc":"2.0","id":99999999999999999999,"result":{}})");
  EXPECT_EQ(conversation_->counts().duplicate, 1U);
  EXPECT_EQ(conversation_->counts().unknown, 4U);
  EXPECT_EQ(answers_.size(), 1U);
}

TEST_F(McpConversation, IgnoresNoiseAndFailsTheCallOfABrokenResponse) {
  begin_legacy();
  const RequestId broken = call();
  const RequestId huge = call();
  const RequestId fine = call();
  receive("Listening on stdio…");
  receive("\x1b[31m\xff\xfe");
  receive("[" + std::string(5000, '[') + "]");
  receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(broken) + R"(,"result":)");
  conversation_->receive_overlong(1 << 30, std::to_string(huge), now_);
  answer(fine, "{}");
  EXPECT_EQ(failure(broken), Failure::Kind::kUnreadable);
  EXPECT_EQ(failure(huge), Failure::Kind::kUnreadable);
  EXPECT_TRUE(answers_.at(fine));
  EXPECT_EQ(conversation_->counts().noise, 4U);
  EXPECT_EQ(conversation_->counts().overlong, 1U);
  EXPECT_EQ(ignored_.size(), 5U);
}

TEST_F(McpConversation, TheEndFailsEachCallOnce) {
  begin_legacy();
  const RequestId a = call();
  const RequestId b = call();
  conversation_->close("the server was killed by SIGSEGV");
  EXPECT_EQ(failure(a), Failure::Kind::kEnded);
  EXPECT_EQ(answers_.at(b).error().story, "the server was killed by SIGSEGV");
  answer(a, "{}");
  EXPECT_FALSE(conversation_->request({"x", {}, {}, {}}, {}, now_));
  EXPECT_EQ(conversation_->in_flight(), 0U);
}

TEST_F(McpConversation, RefusesCallsBeyondTheLimit) {
  settings_.limits.longest_request = 1000;
  settings_.limits.most_in_flight = 2;
  begin_legacy();
  PendingRequest pending{"tools/call", {seconds(1), seconds(1)}, [](const Answer&) { FAIL() << "told twice"; }, {}};
  EXPECT_EQ(conversation_->request(pending, {{"x", std::string(1000, 'x')}}, now_).error().kind,
            Failure::Kind::kRefused);
  call();
  call();
  EXPECT_EQ(conversation_->request(pending, {}, now_).error().kind, Failure::Kind::kRefused);
}

TEST_F(McpConversation, AFloodIsThrottled) {
  settings_.limits.unsolicited_per_second = 100;
  settings_.limits.unsolicited_burst = 50;
  begin_legacy();
  for (int i = 0; i < 50; ++i) receive(R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})");
  EXPECT_EQ(conversation_->debt(), milliseconds(0));
  for (int i = 0; i < 20; ++i) receive("noise");
  EXPECT_EQ(conversation_->debt(), milliseconds(200));
  now_ += milliseconds(200);
  receive("noise");
  EXPECT_EQ(conversation_->debt(), milliseconds(10));
  // Answers do not count as unsolicited.
  now_ += seconds(1);
  for (int i = 0; i < 200; ++i) answer(call(), "{}");
  EXPECT_EQ(conversation_->debt(), milliseconds(10));  // unchanged since the last check
  EXPECT_EQ(notified_.size(), 50U);
}

TEST_F(McpConversation, SendsNoNotificationBeforeTheHandshake) {
  begin(settings_);
  receive(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  EXPECT_TRUE(notified_.empty());
  answer(1, kDiscovered);
  receive(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  EXPECT_EQ(notified_.size(), 1U);
}

}  // namespace
}  // namespace pinfold::mcp
