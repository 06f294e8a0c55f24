// live_approvals_test.cc: an approval queue over its real socket: events, decisions, and the removal at the end.
#include "session/live_approvals.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "base/fake_host.h"
#include "control/client.h"

namespace pinfold::session {
namespace {

namespace event = control::event;

class LiveApprovalsTest : public ::testing::Test {
 protected:
  LiveApprovalsTest() {
    char name[] = "/tmp/pinfold-queue-XXXXXX";
    folder_ = ::mkdtemp(name);
    host_.var("XDG_RUNTIME_DIR", folder_);
    queue_.take_back = [](const Grant&) { return Result<void>(); };
    live_ = LiveApprovals::open(queue_, {{"sh", "-c", "x"}, "/w", "native"}, loop_, host_).value();
  }
  ~LiveApprovalsTest() override { std::filesystem::remove_all(folder_); }

  // The client runs in a thread of its own, while the queue is served here.
  void outside(const std::function<void(control::RuntimeDir&)>& body) {
    std::atomic<bool> done = false;
    std::thread other([&] {
      auto runtime = control::RuntimeDir::open(host_).value();
      body(runtime);
      done = true;
    });
    const std::function<void()> look = [&] {
      if (done) return loop_.stop();
      loop_.after(std::chrono::milliseconds(2), look);
    };
    loop_.after(std::chrono::milliseconds(0), look);  // never before the loop runs: it would forget to stop
    EXPECT_TRUE(loop_.run());
    other.join();
  }

  void ask(std::uint64_t id, const std::string& path) {
    ApprovalRequest request;
    request.id = id;
    request.operation = "read";
    request.resource = path;
    request.grant = Grant{Grant::Kind::kRead, path};
    queue_.ask(request, [this, grant = *request.grant](ApprovalDecision decision) {
      replies_.emplace_back(grant.resource, decision);
      queue_.granted(grant, decision);
    });
  }

  // The next event, which must be of this kind.
  template <typename Kind>
  static Kind next_event(control::Watch& watch) {
    auto event = watch.next();
    if (!event || !std::holds_alternative<Kind>(*event)) {
      ADD_FAILURE() << (event ? "an unexpected event" : event.error().text());
      return {};
    }
    return std::get<Kind>(*event);
  }

  FakeHost host_;
  std::string folder_;
  sys::EventLoop loop_ = sys::EventLoop::create().value();
  ApprovalQueue queue_{ApprovalQueue::Hooks{}};
  std::unique_ptr<LiveApprovals> live_;
  std::vector<std::pair<std::string, ApprovalDecision>> replies_;
};

TEST_F(LiveApprovalsTest, WatchersReceivePendingAndNewRequests) {
  ask(1, "/a");
  outside([&](control::RuntimeDir& runtime) {
    auto watch = control::Watch::start(runtime, live_->id()).value();
    EXPECT_EQ(next_event<event::Description>(watch).id, live_->id());
    EXPECT_EQ(next_event<event::PendingRequest>(watch).request.resource, "/a");
    EXPECT_TRUE(next_event<event::Grants>(watch).grants.empty());
    EXPECT_TRUE(control::decide(runtime, live_->id(), 1, ApprovalDecision::kSession).value());
    const auto settled = next_event<event::RequestEnd>(watch);
    EXPECT_EQ(settled.request, 1u);
    EXPECT_EQ(settled.decision, ApprovalDecision::kSession);
    const auto grants = next_event<event::Grants>(watch).grants;
    ASSERT_EQ(grants.size(), 1u);
    EXPECT_EQ(grants[0].grant.resource, "/a");
    EXPECT_TRUE(control::revoke(runtime, live_->id(), grants[0].id));
    EXPECT_TRUE(next_event<event::Grants>(watch).grants.empty());
    EXPECT_FALSE(control::revoke(runtime, live_->id(), grants[0].id));
  });
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_EQ(replies_[0].second, ApprovalDecision::kSession);
}

TEST_F(LiveApprovalsTest, FirstOfferedDecisionWins) {
  ask(1, "/a");
  outside([&](control::RuntimeDir& runtime) {
    EXPECT_FALSE(control::decide(runtime, live_->id(), 2, ApprovalDecision::kOnce).value());
    EXPECT_TRUE(control::decide(runtime, live_->id(), 1, ApprovalDecision::kDeny).value());
    EXPECT_FALSE(control::decide(runtime, live_->id(), 1, ApprovalDecision::kAlways).value());
  });
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_EQ(replies_[0].second, ApprovalDecision::kDeny);
}

TEST_F(LiveApprovalsTest, SendsDenialsAndConnections) {
  std::optional<control::Watch> watch;
  outside([&](control::RuntimeDir& runtime) {
    watch = control::Watch::start(runtime, live_->id()).value();
    EXPECT_EQ(next_event<event::Description>(*watch).backend, "native");
    EXPECT_TRUE(next_event<event::Grants>(*watch).grants.empty());
  });
  Denial denial;
  denial.resource = "/d";
  queue_.denied(denial);
  Connection connection;
  connection.host = "example.org";
  queue_.connected(connection);
  EXPECT_EQ(next_event<event::AccessDenial>(*watch).denial.resource, "/d");
  EXPECT_EQ(next_event<event::ConnectionEnd>(*watch).connection.host, "example.org");
}

TEST_F(LiveApprovalsTest, IsListedAsARunNotASession) {
  outside([&](control::RuntimeDir& runtime) {
    const auto described = control::describe(runtime, live_->id()).value();
    EXPECT_EQ(described.kind, control::SandboxKind::kRun);
    EXPECT_EQ(described.argv, (std::vector<std::string>{"sh", "-c", "x"}));
    EXPECT_EQ(described.backend, "native");
    const auto entries = runtime.list().value();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].kind, control::SandboxKind::kRun);
    const auto found = runtime.find(live_->id());
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().text().find("not a session"), std::string::npos) << found.error().text();
    const auto stopped = control::stop(runtime, live_->id());
    ASSERT_FALSE(stopped);
    EXPECT_NE(stopped.error().text().find("not a session"), std::string::npos) << stopped.error().text();
  });
}

TEST_F(LiveApprovalsTest, DisconnectsAWatcherThatDoesNotRead) {
  constexpr int kTooMany = 15'000;
  std::optional<control::Watch> watch;
  outside([&](control::RuntimeDir& runtime) { watch = control::Watch::start(runtime, live_->id()).value(); });
  outside([&](control::RuntimeDir& runtime) { EXPECT_TRUE(control::describe(runtime, live_->id())); });
  Denial denial;
  denial.resource = std::string(1000, 'x');
  for (int i = 0; i < kTooMany; ++i) queue_.denied(denial);
  outside([&](control::RuntimeDir& runtime) { EXPECT_TRUE(control::describe(runtime, live_->id())); });
  int events = 0;
  while (watch->next()) ++events;
  EXPECT_GT(events, 0);
  EXPECT_LT(events, kTooMany);
}

TEST_F(LiveApprovalsTest, RemovesItsSocket) {
  live_.reset();
  std::filesystem::remove(folder_ + "/pinfold/.lock");  // which all sessions share
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/pinfold"));
  ask(1, "/a");  // the queue has no destroyed user interface
  EXPECT_EQ(queue_.waiting().size(), 1u);
}

}  // namespace
}  // namespace pinfold::session
