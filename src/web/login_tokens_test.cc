// login_tokens_test.cc: a token logs in one tab, within its lifetime.
#include "web/login_tokens.h"

#include <set>

#include <gtest/gtest.h>

namespace pinfold::web {
namespace {

using namespace std::chrono_literals;

struct LoginTokensTest : ::testing::Test {
  LoginTokens::Clock::time_point time{};
  LoginTokens login_tokens{10min, [this] { return time; }};
};

TEST_F(LoginTokensTest, ATokenAdmitsOneTab) {
  const std::string token = login_tokens.new_token();
  const auto first = login_tokens.log_in(token);
  EXPECT_EQ(first.status, LoginStatus::kLoggedIn);
  EXPECT_TRUE(login_tokens.is_valid_secret(first.secret));
  EXPECT_NE(first.secret, token);
  const auto second = login_tokens.log_in(token);
  EXPECT_EQ(second.status, LoginStatus::kUsed);
  EXPECT_TRUE(second.secret.empty());
  EXPECT_TRUE(login_tokens.is_valid_secret(first.secret));
}

TEST_F(LoginTokensTest, ATokenExpiresUnused) {
  const std::string early = login_tokens.new_token();
  const std::string late = login_tokens.new_token();
  time += 10min - 1ms;
  const auto in_time = login_tokens.log_in(early);
  EXPECT_EQ(in_time.status, LoginStatus::kLoggedIn);
  time += 1ms;
  EXPECT_EQ(login_tokens.log_in(late).status, LoginStatus::kExpired);
  EXPECT_TRUE(login_tokens.is_valid_secret(in_time.secret));  // the expiry of tokens does not log a tab out
}

TEST_F(LoginTokensTest, RefusesInvalidTokens) {
  const std::string token = login_tokens.new_token();
  for (const std::string& wrong : {std::string(), token + "0", token.substr(1), std::string(48, '0')}) {
    EXPECT_EQ(login_tokens.log_in(wrong).status, LoginStatus::kUnknown) << wrong;
    EXPECT_FALSE(login_tokens.is_valid_secret(wrong));
  }
  EXPECT_FALSE(login_tokens.is_valid_secret(token));
  EXPECT_EQ(login_tokens.log_in(token).status, LoginStatus::kLoggedIn);
}

TEST_F(LoginTokensTest, WrongTokensDoNotLockOutValidOnes) {
  const std::string token = login_tokens.new_token();
  for (int i = 0; i < 10000; ++i) EXPECT_EQ(login_tokens.log_in("x").status, LoginStatus::kUnknown);
  EXPECT_EQ(login_tokens.log_in(token).status, LoginStatus::kLoggedIn);
}

TEST_F(LoginTokensTest, TokensAreUnique) {
  std::set<std::string> all;
  for (int i = 0; i < 1000; ++i) all.insert(login_tokens.new_token());
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(all.begin()->size(), 48u);
}

}  // namespace
}  // namespace pinfold::web
