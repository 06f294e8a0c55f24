// live_approvals_test.cc: a board over its real socket: what watchers hear, whose answer counts, what is left at the end.
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

namespace tell = control::tell;

class LiveBoardTest : public ::testing::Test {
 protected:
  LiveBoardTest() {
    char name[] = "/tmp/pinfold-board-XXXXXX";
    folder_ = ::mkdtemp(name);
    host_.var("XDG_RUNTIME_DIR", folder_);
    board_.take_back = [](const Grant&) { return Result<void>(); };
    live_ = LiveBoard::open(board_, {{"sh", "-c", "x"}, "/w", "native"}, loop_, host_).value();
  }
  ~LiveBoardTest() override { std::filesystem::remove_all(folder_); }

  // The other side speaks from a thread of its own, while the board is served here.
  void outside(const std::function<void(control::Place&)>& body) {
    std::atomic<bool> done = false;
    std::thread other([&] {
      auto place = control::Place::open(host_).value();
      body(place);
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
    AccessQuestion question;
    question.id = id;
    question.operation = "read";
    question.resource = path;
    question.grant = Grant{Grant::Kind::kRead, path};
    board_.ask(question, [this, grant = *question.grant](Answer answer) {
      replies_.emplace_back(grant.resource, answer);
      board_.granted(grant, answer);
    });
  }

  // The next thing told must be of this kind.
  template <typename Kind>
  static Kind heard(control::Watch& watch) {
    auto told = watch.next();
    if (!told || !std::holds_alternative<Kind>(*told)) {
      ADD_FAILURE() << (told ? "something else was told" : told.error().text());
      return {};
    }
    return std::get<Kind>(*told);
  }

  FakeHost host_;
  std::string folder_;
  sys::EventLoop loop_ = sys::EventLoop::create().value();
  Board board_{Board::Hooks{}};
  std::unique_ptr<LiveBoard> live_;
  std::vector<std::pair<std::string, Answer>> replies_;
};

TEST_F(LiveBoardTest, AWatcherHearsWhatWaitsAndWhatComes) {
  ask(1, "/a");
  outside([&](control::Place& place) {
    auto watch = control::Watch::start(place, live_->id()).value();
    EXPECT_EQ(heard<tell::Described>(watch).id, live_->id());
    EXPECT_EQ(heard<tell::Question>(watch).question.resource, "/a");
    EXPECT_TRUE(heard<tell::Grants>(watch).grants.empty());
    EXPECT_TRUE(control::answer(place, live_->id(), 1, Answer::kSession).value());
    const auto settled = heard<tell::Settled>(watch);
    EXPECT_EQ(settled.question, 1u);
    EXPECT_EQ(settled.answer, Answer::kSession);
    const auto grants = heard<tell::Grants>(watch).grants;
    ASSERT_EQ(grants.size(), 1u);
    EXPECT_EQ(grants[0].grant.resource, "/a");
    EXPECT_TRUE(control::revoke(place, live_->id(), grants[0].id));
    EXPECT_TRUE(heard<tell::Grants>(watch).grants.empty());
    EXPECT_FALSE(control::revoke(place, live_->id(), grants[0].id));
  });
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_EQ(replies_[0].second, Answer::kSession);
}

TEST_F(LiveBoardTest, TheFirstAnswerCountsAndOnlyWhatIsOffered) {
  ask(1, "/a");
  outside([&](control::Place& place) {
    EXPECT_FALSE(control::answer(place, live_->id(), 2, Answer::kOnce).value());
    EXPECT_TRUE(control::answer(place, live_->id(), 1, Answer::kDeny).value());
    EXPECT_FALSE(control::answer(place, live_->id(), 1, Answer::kAlways).value());
  });
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_EQ(replies_[0].second, Answer::kDeny);
}

TEST_F(LiveBoardTest, DenialsAndConnectionsAreTold) {
  std::optional<control::Watch> watch;
  outside([&](control::Place& place) {
    watch = control::Watch::start(place, live_->id()).value();
    EXPECT_EQ(heard<tell::Described>(*watch).backend, "native");
    EXPECT_TRUE(heard<tell::Grants>(*watch).grants.empty());
  });
  Denial denial;
  denial.resource = "/d";
  board_.denied(denial);
  Connection connection;
  connection.host = "example.org";
  board_.connected(connection);
  EXPECT_EQ(heard<tell::Denied>(*watch).denial.resource, "/d");
  EXPECT_EQ(heard<tell::Connected>(*watch).connection.host, "example.org");
}

TEST_F(LiveBoardTest, ItIsDescribedAsARunAndIsNoSession) {
  outside([&](control::Place& place) {
    const auto described = control::describe(place, live_->id()).value();
    EXPECT_EQ(described.kind, control::SandboxKind::kRun);
    EXPECT_EQ(described.argv, (std::vector<std::string>{"sh", "-c", "x"}));
    EXPECT_EQ(described.backend, "native");
    const auto entries = place.list().value();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].kind, control::SandboxKind::kRun);
    const auto found = place.find(live_->id());
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().text().find("not a session"), std::string::npos) << found.error().text();
    const auto stopped = control::stop(place, live_->id());
    ASSERT_FALSE(stopped);
    EXPECT_NE(stopped.error().text().find("not a session"), std::string::npos) << stopped.error().text();
  });
}

TEST_F(LiveBoardTest, AWatcherWhoDoesNotReadIsSentAwayAndTheBoardGoesOn) {
  constexpr int kTooMany = 15'000;
  std::optional<control::Watch> watch;
  outside([&](control::Place& place) { watch = control::Watch::start(place, live_->id()).value(); });
  outside([&](control::Place& place) { EXPECT_TRUE(control::describe(place, live_->id())); });
  Denial denial;
  denial.resource = std::string(1000, 'x');
  for (int i = 0; i < kTooMany; ++i) board_.denied(denial);
  outside([&](control::Place& place) { EXPECT_TRUE(control::describe(place, live_->id())); });
  int told = 0;
  while (watch->next()) ++told;
  EXPECT_GT(told, 0);
  EXPECT_LT(told, kTooMany);
}

TEST_F(LiveBoardTest, NothingIsLeft) {
  live_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/pinfold"));
  ask(1, "/a");  // the board has no face that is gone
  EXPECT_EQ(board_.waiting().size(), 1u);
}

}  // namespace
}  // namespace pinfold::session
