// client_test.cc: a client on the event loop, with fake servers over socket pairs.
// Invariant: independent of the machine's speed: a timeout that must not fire is an hour, one that must fire is a
// millisecond, and the test waits for it. Not here: real processes (tests/mcp).
#include "mcp/client.h"

#include <gtest/gtest.h>

#include "mcp/fake_server.h"

namespace pinfold::mcp {
namespace {

constexpr const char* kFacts =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"f","version":"1"}})";
constexpr const char* kTools = R"({"tools":[{"name":"t","inputSchema":{"type":"object","required":["x"]}}]})";

// Answers the handshake and tools/list; `behave` answers the rest.
Behaviour legacy(Behaviour behave) {
  return [behave = std::move(behave)](FakeServer& server, const Json& message) {
    const std::string method = text_member(message, "method");
    if (method == "initialize") return server.answer(message, kFacts);
    if (method == "notifications/initialized") return;
    if (method == "tools/list" && !behave) return server.answer(message, kTools);
    if (behave) behave(server, message);
  };
}

Behaviour calls(std::function<void(FakeServer&, const Json&)> on_call) {
  return legacy([on_call = std::move(on_call)](FakeServer& server, const Json& message) {
    if (text_member(message, "method") == "tools/list") return server.answer(message, kTools);
    if (text_member(message, "method") == "tools/call") on_call(server, message);
  });
}

Call to_tool() {
  Call out;
  out.tool = "t";
  return out;
}

class McpClient : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_.known_family = ProtocolFamily::kLegacy;
    auto& d = settings_.durations;
    d.until_terminate = d.until_kill = d.first_back_off = d.longest_back_off = d.between_refreshes = milliseconds(1);
    d.probe = d.request = d.request_at_most = d.handshake = std::chrono::hours(1);
  }
  void make(std::function<Plan(std::size_t)> plan) {
    starter_ = std::make_unique<FakeStarter>(loop_, std::move(plan));
    Client::Events events;
    events.state_changed = [this](const State& state) {
      states_.push_back(static_cast<int>(state.index()));
      if (const auto* end = std::get_if<state::Failed>(&state)) given_up_ = end->why;
      if (const auto* pause = std::get_if<state::Backoff>(&state)) pauses_.push_back(pause->why);
    };
    events.ready = [this](const ServerFacts&) { ++readies_; };
    events.tools = [this](const ToolList& list) { lists_.push_back(list.tools.size()); };
    events.notified = [this](const Notification& one) { notified_.push_back(one.method); };
    events.stderr_line = [this](const std::string& line) { stderr_lines_.push_back(line); };
    events.ignored = [this](const std::string& line) { ignored_.push_back(line); };
    client_ = std::make_unique<Client>(loop_, *starter_, filter_, settings_, std::move(events));
    client_->start();
  }
  void make(Behaviour behave) {
    make([behave = std::move(behave)](std::size_t) { return Plan{behave}; });
  }
  void run_until(const std::function<bool()>& done) {
    Timer watch(loop_);
    bool late = false;
    const auto limit = loop_.after(std::chrono::minutes(2), [&] {
      late = true;
      loop_.stop();
    });
    std::function<void()> look = [&] {
      if (done()) return loop_.stop();
      watch.set(milliseconds(1), look);
    };
    watch.set(milliseconds(0), look);
    EXPECT_TRUE(loop_.run());
    loop_.cancel(limit);
    ASSERT_FALSE(late) << "it never happened";
  }
  CallOutcome call(Json arguments = {{"x", 1}}) {
    std::optional<CallOutcome> outcome;
    Call one = to_tool();
    one.arguments = std::move(arguments);
    auto id = client_->call(std::move(one), [&](CallOutcome got) { outcome = std::move(got); });
    if (!id) return id.error();
    run_until([&] { return outcome.has_value(); });
    return outcome.value_or(Failure{});
  }
  void stop() {
    bool stopped = false;
    client_->stop([&] { stopped = true; });
    run_until([&] { return stopped; });
  }
  FakeServer& server() { return *starter_->runs.back(); }

  sys::EventLoop loop_ = *sys::EventLoop::create();
  PassThroughFilter filter_;
  Settings settings_;
  std::unique_ptr<FakeStarter> starter_;
  std::vector<int> states_;
  std::string given_up_;
  std::vector<std::string> pauses_, notified_, stderr_lines_, ignored_;
  std::vector<std::size_t> lists_;
  int readies_ = 0;
  std::unique_ptr<Client> client_;  // last: its destructor calls handlers that use the others
};

TEST_F(McpClient, ACall) {
  make(calls([](FakeServer& server, const Json& message) {
    server.write_stderr("working\n");
    server.write("stray output\r\n");
    server.answer(message, R"({"content":[{"type":"text","text":"done"}]})");
  }));
  const CallOutcome outcome = call();
  ASSERT_TRUE(std::holds_alternative<CallResult>(outcome));
  EXPECT_EQ(std::get<CallResult>(outcome).content[0]["text"], "done");
  run_until([&] { return !stderr_lines_.empty() && !lists_.empty(); });
  EXPECT_EQ(stderr_lines_[0], "working");
  EXPECT_EQ(client_->conversation()->counts().noise, 1U);
  EXPECT_EQ(client_->family(), ProtocolFamily::kLegacy);
  Call bad = to_tool();
  bad.check = Arguments::kChecked;
  EXPECT_EQ(client_->call(bad, {}).error().kind, Failure::Kind::kRefused);
}

TEST_F(McpClient, DoesNotKillAServerThatEndsByItself) {
  settings_.durations.until_terminate = std::chrono::hours(1);
  make(calls({}));
  run_until([&] { return readies_ == 1; });
  stop();
  EXPECT_TRUE(server().signals.empty());
  EXPECT_TRUE(std::holds_alternative<state::Idle>(client_->state()));
  client_->start();  // and once more
  run_until([&] { return readies_ == 2; });
}

TEST_F(McpClient, SendsSigtermThenSigkill) {
  make([](std::size_t) { return Plan{calls({}), false, false}; });
  run_until([&] { return readies_ == 1; });
  stop();
  EXPECT_EQ(server().signals, (std::vector<std::string>{"TERM", "KILL"}));
}

TEST_F(McpClient, FailsPendingCallsWhenTheServerStops) {
  make(calls([](FakeServer&, const Json&) {}));
  std::optional<CallOutcome> outcome;
  run_until([&] { return readies_ == 1; });
  ASSERT_TRUE(client_->call(to_tool(), [&](CallOutcome got) { outcome = std::move(got); }));
  client_->stop([] {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(std::get<Failure>(*outcome).kind, Failure::Kind::kEnded);
  EXPECT_EQ(client_->call(to_tool(), {}).error().story, "the server is being ended");
}

TEST_F(McpClient, ACrashFailsTheCallAndIsRestartedWithoutReplay) {
  make([](std::size_t run) {
    return Plan{calls([run](FakeServer& server, const Json& message) {
      if (run == 0) return server.end("was killed by SIGSEGV");
      server.answer(message, R"({"content":[]})");
    })};
  });
  const CallOutcome outcome = call();
  ASSERT_TRUE(std::holds_alternative<Failure>(outcome));
  EXPECT_EQ(std::get<Failure>(outcome).kind, Failure::Kind::kEnded);
  EXPECT_NE(std::get<Failure>(outcome).story.find("SIGSEGV"), std::string::npos) << std::get<Failure>(outcome).story;
  run_until([&] { return readies_ == 2 && lists_.size() == 2; });
  EXPECT_EQ(std::count(server().methods.begin(), server().methods.end(), "tools/call"), 0);
  EXPECT_TRUE(std::holds_alternative<CallResult>(call()));
}

TEST_F(McpClient, GivesUpAfterRepeatedFailures) {
  make([](std::size_t) { return Plan{[](FakeServer& server, const Json&) { server.end("exited with 3"); }}; });
  run_until([&] { return !given_up_.empty(); });
  EXPECT_EQ(starter_->runs.size(), 5U);
  EXPECT_EQ(pauses_.size(), 4U);
  EXPECT_NE(given_up_.find("exited with 3"), std::string::npos) << given_up_;
  EXPECT_NE(client_->call(to_tool(), {}).error().story.find("given up"), std::string::npos);
}

TEST_F(McpClient, AHealthyPeriodResetsTheFailureCount) {
  settings_.durations.healthy = milliseconds(0);
  make(calls([](FakeServer& server, const Json&) { server.end("exited with 1"); }));
  for (int i = 1; i <= 8; ++i) {
    run_until([&] { return readies_ == i; });
    call();
  }
  EXPECT_TRUE(given_up_.empty());
}

TEST_F(McpClient, AServerThatExitsAtTheProbeIsLegacy) {
  settings_.known_family.reset();
  make([](std::size_t) {
    return Plan{[](FakeServer& server, const Json& message) {
      if (text_member(message, "method") == "server/discover") return server.end("exited with 1");
      calls({})(server, message);
    }};
  });
  run_until([&] { return readies_ == 1; });
  EXPECT_EQ(starter_->runs.size(), 2U);
  EXPECT_TRUE(pauses_.empty());
  EXPECT_EQ(server().methods[0], "initialize");
}

TEST_F(McpClient, AnUnknownVersionIsNotTriedAgain) {
  make([](FakeServer& server, const Json& message) { server.answer(message, R"({"protocolVersion":"1999-01-01"})"); });
  run_until([&] { return !given_up_.empty(); });
  EXPECT_EQ(starter_->runs.size(), 1U);
  EXPECT_NE(given_up_.find("1999-01-01"), std::string::npos);
}

TEST_F(McpClient, RestartsAServerThatClosesItsOutput) {
  make([](std::size_t) {
    return Plan{calls([](FakeServer& server, const Json&) { server.close_output(); }), false, true};
  });
  const CallOutcome outcome = call();
  EXPECT_EQ(std::get<Failure>(outcome).kind, Failure::Kind::kEnded);
  EXPECT_NE(std::get<Failure>(outcome).story.find("closed its output"), std::string::npos);
  run_until([&] { return readies_ == 2; });
  EXPECT_EQ(starter_->runs[0]->signals, std::vector<std::string>{"TERM"});
}

TEST_F(McpClient, AcceptsAResponseBeforeTheServerExits) {
  make(calls([](FakeServer& server, const Json& message) {
    server.answer(message, R"({"content":[]})");
    server.end("exited with 0");
  }));
  EXPECT_TRUE(std::holds_alternative<CallResult>(call()));
}

TEST_F(McpClient, ChangedToolsAreListedAgain) {
  make(legacy([count = 0](FakeServer& server, const Json& message) mutable {
    if (text_member(message, "method") != "tools/list") return;
    std::string tools;
    for (int i = 0; i <= count; ++i)
      tools += (i == 0 ? "" : ",") + std::string(R"({"name":"t)") + std::to_string(i) + R"(","inputSchema":{}})";
    server.answer(message, R"({"tools":[)" + tools + "]}");
    // Many announcements cause one or two more tools/list requests.
    std::string flood;
    for (int i = 0; i < 200; ++i)
      flood += R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"
               "\n";
    if (count++ == 0) server.write(flood);
  }));
  run_until([&] { return notified_.size() == 200 && lists_.size() >= 2; });
  const std::size_t received = server().methods.size();
  EXPECT_LE(received, 8U);
  EXPECT_EQ(lists_[1], 2U);
}

TEST_F(McpClient, SubscribesToModernServers) {
  settings_.known_family.reset();
  make([](FakeServer& server, const Json& message) {
    const std::string method = text_member(message, "method");
    if (method == "server/discover")
      return server.answer(message,
                           R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}})");
    if (method == "tools/list") return server.answer(message, kTools);
    if (method == "subscriptions/listen")
      return server.write(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}})"
                          "\n");
    if (method == "tools/call" && !message["params"].contains("requestState"))
      return server.answer(
          message,
          R"({"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create"}},"requestState":"S"})");
    if (method == "tools/call" && message["params"]["inputResponses"]["q"] == "yes")
      server.answer(message, R"({"resultType":"complete","content":[]})");
  });
  run_until([&] { return lists_.size() == 2; });
  EXPECT_EQ(client_->family(), ProtocolFamily::kModern);
  const CallOutcome asks = call();
  ASSERT_TRUE(std::holds_alternative<InputRequired>(asks));
  Call again = to_tool();
  again.state = std::get<InputRequired>(asks).state;
  again.input_responses = {{"q", "yes"}};
  std::optional<CallOutcome> outcome;
  ASSERT_TRUE(client_->call(again, [&](CallOutcome got) { outcome = std::move(got); }));
  run_until([&] { return outcome.has_value(); });
  EXPECT_TRUE(std::holds_alternative<CallResult>(*outcome));
}

TEST_F(McpClient, AnOverlongResponseFailsOnlyItsCall) {
  settings_.limits.longest_line = 100'000;
  make(calls([](FakeServer& server, const Json& message) {
    if (message["params"]["arguments"]["x"] == "ok") return server.answer(message, R"({"content":[]})");
    server.answer(message, R"({"content":[{"type":"text","text":")" + std::string(120'000, 'y') + "\"}]}");
  }));
  EXPECT_EQ(std::get<Failure>(call()).kind, Failure::Kind::kUnreadable);
  EXPECT_TRUE(std::holds_alternative<CallResult>(call({{"x", "ok"}})));
}

TEST_F(McpClient, IgnoresAResponseAfterATimeOut) {
  auto late = std::make_shared<Json>();
  make(calls([late](FakeServer& server, const Json& message) {
    if (late->is_null()) {
      *late = message;
      return;
    }
    server.answer(*late, R"({"content":[]})");
    server.answer(message, R"({"content":[]})");
  }));
  run_until([&] { return readies_ == 1; });  // or it could time out before it was sent
  std::optional<CallOutcome> outcome;
  Call slow = to_tool();
  slow.timeouts = RequestTimeouts{milliseconds(1), milliseconds(1)};
  ASSERT_TRUE(client_->call(slow, [&](CallOutcome got) { outcome = std::move(got); }));
  run_until([&] { return outcome.has_value(); });
  EXPECT_EQ(std::get<Failure>(*outcome).kind, Failure::Kind::kTimedOut);
  run_until([&] { return !late->is_null(); });
  EXPECT_TRUE(std::holds_alternative<CallResult>(call()));
  EXPECT_EQ(client_->conversation()->counts().late, 1U);
}

TEST_F(McpClient, ThrottlesAFloodWithoutLosingMessages) {
  settings_.limits.unsolicited_burst = 10;
  settings_.limits.unsolicited_per_second = 1000;
  make(calls([](FakeServer& server, const Json& message) {
    std::string flood;
    for (int i = 0; i < 300; ++i)
      flood += R"({"jsonrpc":"2.0","method":"notifications/message"})"
               "\n";
    server.write(flood);
    server.answer(message, R"({"content":[]})");
  }));
  EXPECT_TRUE(std::holds_alternative<CallResult>(call()));
  EXPECT_EQ(notified_.size(), 300U);
}

TEST_F(McpClient, DestructionFailsPendingCalls) {
  make(calls([](FakeServer&, const Json&) {}));
  run_until([&] { return readies_ == 1; });
  std::optional<CallOutcome> outcome;
  ASSERT_TRUE(client_->call(to_tool(), [&](CallOutcome got) { outcome = std::move(got); }));
  client_.reset();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(std::get<Failure>(*outcome).kind, Failure::Kind::kEnded);
}

}  // namespace
}  // namespace pinfold::mcp
