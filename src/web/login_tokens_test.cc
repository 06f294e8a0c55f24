// login_tokens_test.cc: one token, one tab, for a while.
#include "web/login_tokens.h"

#include <set>

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

using namespace std::chrono_literals;

struct DoorTest : ::testing::Test {
  Door::Clock::time_point time{};
  Door door{10min, [this] { return time; }};
};

TEST_F(DoorTest, ATokenLetsOneTabIn) {
  const std::string token = door.new_token();
  const auto first = door.enter(token);
  EXPECT_EQ(first.verdict, Verdict::kIn);
  EXPECT_TRUE(door.is_in(first.secret));
  EXPECT_NE(first.secret, token);
  const auto second = door.enter(token);
  EXPECT_EQ(second.verdict, Verdict::kUsed);
  EXPECT_TRUE(second.secret.empty());
  EXPECT_TRUE(door.is_in(first.secret));
}

TEST_F(DoorTest, ATokenExpiresUnused) {
  const std::string early = door.new_token();
  const std::string late = door.new_token();
  time += 10min - 1ms;
  const auto in_time = door.enter(early);
  EXPECT_EQ(in_time.verdict, Verdict::kIn);
  time += 1ms;
  EXPECT_EQ(door.enter(late).verdict, Verdict::kExpired);
  EXPECT_TRUE(door.is_in(in_time.secret));  // whoever is in stays in
}

TEST_F(DoorTest, NothingElseLetsAnybodyIn) {
  const std::string token = door.new_token();
  for (const std::string& wrong : {std::string(), token + "0", token.substr(1), std::string(48, '0')}) {
    EXPECT_EQ(door.enter(wrong).verdict, Verdict::kUnknown) << wrong;
    EXPECT_FALSE(door.is_in(wrong));
  }
  EXPECT_FALSE(door.is_in(token));
  EXPECT_EQ(door.enter(token).verdict, Verdict::kIn);
}

TEST_F(DoorTest, WrongTokensLockNobodyOut) {
  const std::string token = door.new_token();
  for (int i = 0; i < 10000; ++i) EXPECT_EQ(door.enter("x").verdict, Verdict::kUnknown);
  EXPECT_EQ(door.enter(token).verdict, Verdict::kIn);
}

TEST_F(DoorTest, NoTwoAreEqual) {
  std::set<std::string> all;
  for (int i = 0; i < 1000; ++i) all.insert(door.new_token());
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(all.begin()->size(), 48u);
}

}  // namespace
}  // namespace pinfold::web
