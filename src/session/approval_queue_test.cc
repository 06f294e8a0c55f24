// approval_queue_test.cc: equal requests, first decisions, the rate limit, grants and revoking.
#include "session/approval_queue.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pinfold::session {
namespace {

ApprovalRequest about(std::uint64_t id, std::string resource, std::string operation = "read") {
  ApprovalRequest out;
  out.id = id;
  out.operation = std::move(operation);
  out.grant = Grant{Grant::Kind::kRead, resource};
  out.resource = std::move(resource);
  return out;
}

struct Witness final : ApprovalUi {
  void requested(const ApprovalRequest& request) override { seen.push_back("asked " + request.resource); }
  void settled(const ApprovalRequest& request, std::optional<ApprovalDecision> decision) override {
    seen.push_back((decision ? "decided " : "withdrawn ") + request.resource);
  }
  void grants_changed() override { seen.push_back("grants"); }
  std::vector<std::string> seen;
};

class ApprovalQueueTest : public testing::Test {
 protected:
  ApprovalQueueTest() { queue_.add_ui(witness_); }
  void ask(ApprovalRequest request) {
    queue_.ask(std::move(request), [this](ApprovalDecision decision) { replies_.push_back(decision); });
  }
  std::vector<std::pair<std::string, Grant>> remembered_;
  std::vector<Grant> forgotten_;
  ApprovalQueue queue_{{.remember = [this](const ApprovalRequest& request,
                                           const Grant& grant) { remembered_.emplace_back(request.resource, grant); },
                        .forget = [this](const Grant& grant) { forgotten_.push_back(grant); },
                        .assess =
                            [](const ApprovalRequest&) {
                              return Risk{RiskLevel::kHigh, "it is a test"};
                            },
                        .requested = {},
                        .decided = {}}};
  Witness witness_;
  std::vector<ApprovalDecision> replies_;
};

TEST_F(ApprovalQueueTest, FirstDecisionWins) {
  ask(about(1, "/a"));
  EXPECT_EQ(queue_.waiting().size(), 1U);
  EXPECT_EQ(queue_.waiting()[0].risk.words, "it is a test");
  EXPECT_TRUE(queue_.decide(1, ApprovalDecision::kOnce, "terminal"));
  EXPECT_FALSE(queue_.decide(1, ApprovalDecision::kDeny, "page"));
  EXPECT_EQ(replies_, std::vector{ApprovalDecision::kOnce});
  EXPECT_TRUE(queue_.waiting().empty());
}

TEST_F(ApprovalQueueTest, IgnoresADecisionThatWasNotOffered) {
  auto only_once = about(1, "/a");
  only_once.grant.reset();
  auto only_lasting = about(2, "/b");
  only_lasting.once = false;
  ask(only_once);
  ask(only_lasting);
  EXPECT_FALSE(queue_.decide(1, ApprovalDecision::kAlways, "page"));
  EXPECT_FALSE(queue_.decide(2, ApprovalDecision::kOnce, "page"));
  EXPECT_TRUE(replies_.empty());
  EXPECT_TRUE(queue_.decide(1, ApprovalDecision::kOnce, "page"));
  EXPECT_TRUE(queue_.decide(2, ApprovalDecision::kDeny, "page"));
}

TEST_F(ApprovalQueueTest, MergesEqualRequests) {
  ask(about(1, "/a"));
  ask(about(2, "/a"));
  ask(about(3, "/a", "write"));
  EXPECT_EQ(witness_.seen, (std::vector<std::string>{"asked /a", "asked /a"}));
  EXPECT_TRUE(queue_.decide(1, ApprovalDecision::kDeny, "terminal"));
  EXPECT_EQ(replies_, (std::vector{ApprovalDecision::kDeny, ApprovalDecision::kDeny}));
  ask(about(4, "/a"));  // known by now
  EXPECT_EQ(replies_.size(), 3U);
  EXPECT_EQ(queue_.waiting().size(), 1U);
}

TEST_F(ApprovalQueueTest, OnceAllowsOneOperation) {
  ask(about(1, "/a"));
  ask(about(2, "/a"));
  EXPECT_TRUE(queue_.decide(1, ApprovalDecision::kOnce, "terminal"));
  EXPECT_EQ(replies_.size(), 1U);
  ASSERT_EQ(queue_.waiting().size(), 1U);
  EXPECT_EQ(queue_.waiting()[0].id, 2U);
  EXPECT_EQ(witness_.seen.back(), "asked /a");
  EXPECT_TRUE(queue_.decide(2, ApprovalDecision::kOnce, "terminal"));
  ask(about(3, "/a"));
  EXPECT_EQ(queue_.waiting().size(), 1U);
}

TEST_F(ApprovalQueueTest, DropsRequestsOfEndedCallers) {
  ask(about(1, "/a"));
  ask(about(2, "/a"));
  queue_.withdraw(1);
  EXPECT_FALSE(queue_.decide(1, ApprovalDecision::kOnce, "terminal"));
  ASSERT_EQ(queue_.waiting().size(), 1U);  // the other one still waits
  EXPECT_TRUE(queue_.decide(2, ApprovalDecision::kOnce, "terminal"));
  EXPECT_EQ(replies_.size(), 1U);
}

TEST_F(ApprovalQueueTest, DeniesRequestsBeyondTheLimit) {
  auto time = ApprovalQueue::Clock::now();
  queue_.now = [&] { return time; };
  for (std::uint64_t i = 1; i <= 100; ++i) {
    ask(about(i, "/file" + std::to_string(i)));
    queue_.decide(i, ApprovalDecision::kOnce, "terminal");
  }
  EXPECT_EQ(queue_.flooded(), 70U);
  EXPECT_EQ(replies_.size(), 100U);
  time += std::chrono::minutes(2);
  ask(about(200, "/later"));
  EXPECT_EQ(queue_.waiting().size(), 1U);
}

TEST_F(ApprovalQueueTest, ListsRemembersAndRevokesGrants) {
  ask(about(1, "/a"));
  queue_.take_back = [](const Grant&) { return Result<void>(); };
  // As in the supervisor: the reply applies the grant and reports it.
  queue_.ask(about(2, "/b"), [this](ApprovalDecision decision) {
    queue_.granted({Grant::Kind::kRead, "/b"}, decision);
  });
  EXPECT_TRUE(queue_.decide(2, ApprovalDecision::kAlways, "terminal"));
  ASSERT_EQ(queue_.grants().size(), 1U);
  ASSERT_EQ(remembered_.size(), 1U);
  EXPECT_EQ(remembered_[0].first, "/b");
  EXPECT_FALSE(queue_.revoke(77).has_value());
  EXPECT_TRUE(queue_.revoke(queue_.grants()[0].id).has_value());
  EXPECT_TRUE(queue_.grants().empty());
  EXPECT_EQ(forgotten_.size(), 1U);
  ask(about(3, "/b"));  // asked again
  EXPECT_EQ(queue_.waiting().size(), 2U);
}

TEST_F(ApprovalQueueTest, DenyAllAlsoDeniesLaterRequests) {
  ask(about(1, "/a"));
  queue_.refuse_all("no terminal");
  ask(about(2, "/b"));
  EXPECT_EQ(replies_, (std::vector{ApprovalDecision::kDeny, ApprovalDecision::kDeny}));
  EXPECT_EQ(queue_.refused(), 2U);
  EXPECT_EQ(queue_.refused_because(), "no terminal");
  EXPECT_EQ(queue_.flooded(), 0U);  // the report must not blame a flood
}

}  // namespace
}  // namespace pinfold::session
