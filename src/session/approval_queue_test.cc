// approval_queue_test.cc: equal questions, first answers, floods, grants and their end.
#include "session/approval_queue.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pinfold::session {
namespace {

AccessQuestion about(std::uint64_t id, std::string resource, std::string operation = "read") {
  AccessQuestion out;
  out.id = id;
  out.operation = std::move(operation);
  out.grant = Grant{Grant::Kind::kRead, resource};
  out.resource = std::move(resource);
  return out;
}

struct Witness final : Face {
  void asked(const AccessQuestion& question) override { seen.push_back("asked " + question.resource); }
  void settled(const AccessQuestion& question, std::optional<Answer> answer) override {
    seen.push_back((answer ? "answered " : "withdrawn ") + question.resource);
  }
  void grants_changed() override { seen.push_back("grants"); }
  std::vector<std::string> seen;
};

class BoardTest : public testing::Test {
 protected:
  BoardTest() { board_.join(witness_); }
  void ask(AccessQuestion question) {
    board_.ask(std::move(question), [this](Answer answer) { replies_.push_back(answer); });
  }
  std::vector<std::pair<std::string, Grant>> remembered_;
  std::vector<Grant> forgotten_;
  Board board_{{.remember = [this](const AccessQuestion& question,
                                   const Grant& grant) { remembered_.emplace_back(question.resource, grant); },
                .forget = [this](const Grant& grant) { forgotten_.push_back(grant); },
                .assess =
                    [](const AccessQuestion&) {
                      return Risk{RiskLevel::kHigh, "it is a test"};
                    },
                .asked = {},
                .answered = {}}};
  Witness witness_;
  std::vector<Answer> replies_;
};

TEST_F(BoardTest, TheFirstAnswerCounts) {
  ask(about(1, "/a"));
  EXPECT_EQ(board_.waiting().size(), 1U);
  EXPECT_EQ(board_.waiting()[0].risk.words, "it is a test");
  EXPECT_TRUE(board_.answer(1, Answer::kOnce, "terminal"));
  EXPECT_FALSE(board_.answer(1, Answer::kDeny, "page"));
  EXPECT_EQ(replies_, std::vector{Answer::kOnce});
  EXPECT_TRUE(board_.waiting().empty());
}

TEST_F(BoardTest, AnAnswerThatIsNotOnOfferIsNone) {
  auto only_once = about(1, "/a");
  only_once.grant.reset();
  auto only_lasting = about(2, "/b");
  only_lasting.once = false;
  ask(only_once);
  ask(only_lasting);
  EXPECT_FALSE(board_.answer(1, Answer::kAlways, "page"));
  EXPECT_FALSE(board_.answer(2, Answer::kOnce, "page"));
  EXPECT_TRUE(replies_.empty());
  EXPECT_TRUE(board_.answer(1, Answer::kOnce, "page"));
  EXPECT_TRUE(board_.answer(2, Answer::kDeny, "page"));
}

TEST_F(BoardTest, EqualQuestionsArePutOnce) {
  ask(about(1, "/a"));
  ask(about(2, "/a"));
  ask(about(3, "/a", "write"));
  EXPECT_EQ(witness_.seen, (std::vector<std::string>{"asked /a", "asked /a"}));
  EXPECT_TRUE(board_.answer(1, Answer::kDeny, "terminal"));
  EXPECT_EQ(replies_, (std::vector{Answer::kDeny, Answer::kDeny}));
  ask(about(4, "/a"));  // known by now
  EXPECT_EQ(replies_.size(), 3U);
  EXPECT_EQ(board_.waiting().size(), 1U);
}

TEST_F(BoardTest, OnceIsOneOperation) {
  ask(about(1, "/a"));
  ask(about(2, "/a"));
  EXPECT_TRUE(board_.answer(1, Answer::kOnce, "terminal"));
  EXPECT_EQ(replies_.size(), 1U);
  ASSERT_EQ(board_.waiting().size(), 1U);
  EXPECT_EQ(board_.waiting()[0].id, 2U);
  EXPECT_EQ(witness_.seen.back(), "asked /a");
  EXPECT_TRUE(board_.answer(2, Answer::kOnce, "terminal"));
  ask(about(3, "/a"));
  EXPECT_EQ(board_.waiting().size(), 1U);
}

TEST_F(BoardTest, WhoeverIsGoneIsNotAskedAbout) {
  ask(about(1, "/a"));
  ask(about(2, "/a"));
  board_.withdraw(1);
  EXPECT_FALSE(board_.answer(1, Answer::kOnce, "terminal"));
  ASSERT_EQ(board_.waiting().size(), 1U);  // the other one still waits
  EXPECT_TRUE(board_.answer(2, Answer::kOnce, "terminal"));
  EXPECT_EQ(replies_.size(), 1U);
}

TEST_F(BoardTest, AFloodIsAnsweredNo) {
  auto time = Board::Clock::now();
  board_.now = [&] { return time; };
  for (std::uint64_t i = 1; i <= 100; ++i) {
    ask(about(i, "/file" + std::to_string(i)));
    board_.answer(i, Answer::kOnce, "terminal");
  }
  EXPECT_EQ(board_.flooded(), 70U);
  EXPECT_EQ(replies_.size(), 100U);
  time += std::chrono::minutes(2);
  ask(about(200, "/later"));
  EXPECT_EQ(board_.waiting().size(), 1U);
}

TEST_F(BoardTest, GrantsAreListedRememberedAndTakenBack) {
  ask(about(1, "/a"));
  board_.take_back = [](const Grant&) { return Result<void>(); };
  // In the order of the supervisor: the reply puts it in force, and says so.
  board_.ask(about(2, "/b"), [this](Answer answer) { board_.granted({Grant::Kind::kRead, "/b"}, answer); });
  EXPECT_TRUE(board_.answer(2, Answer::kAlways, "terminal"));
  ASSERT_EQ(board_.grants().size(), 1U);
  ASSERT_EQ(remembered_.size(), 1U);
  EXPECT_EQ(remembered_[0].first, "/b");
  EXPECT_FALSE(board_.revoke(77).has_value());
  EXPECT_TRUE(board_.revoke(board_.grants()[0].id).has_value());
  EXPECT_TRUE(board_.grants().empty());
  EXPECT_EQ(forgotten_.size(), 1U);
  ask(about(3, "/b"));  // asked again
  EXPECT_EQ(board_.waiting().size(), 2U);
}

TEST_F(BoardTest, RefusingAllRefusesWhatComes) {
  ask(about(1, "/a"));
  board_.refuse_all("nobody is there");
  ask(about(2, "/b"));
  EXPECT_EQ(replies_, (std::vector{Answer::kDeny, Answer::kDeny}));
  EXPECT_EQ(board_.refused(), 2U);
  EXPECT_EQ(board_.refused_because(), "nobody is there");
  EXPECT_EQ(board_.flooded(), 0U);  // the report must not blame a flood
}

}  // namespace
}  // namespace pinfold::session
