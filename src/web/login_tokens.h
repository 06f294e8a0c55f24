// login_tokens.h: authentication: tokens that work once, exchanged for the secret of a browser tab.
// Invariant: a token logs in one tab, within its lifetime; tokens and secrets are 192 random bits, compared in constant
// time. Failed logins are not counted: 192 bits cannot be guessed, and a limit would let any local process, also a
// sandboxed one with the host's network, lock the user out. Thread-safe. Not here: the origin of a request
// (csrf_check.h, peer.h).
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace pinfold::web {

enum class LoginStatus { kLoggedIn, kUsed, kExpired, kUnknown };
std::string_view word_of(LoginStatus status);

class LoginTokens {
 public:
  using Clock = std::chrono::steady_clock;
  explicit LoginTokens(std::chrono::milliseconds lifetime, std::function<Clock::time_point()> now = Clock::now)
      : lifetime_(lifetime), now_(std::move(now)) {}

  std::string new_token();

  struct LoginResult {
    LoginStatus status = LoginStatus::kUnknown;
    std::string secret;  // with kLoggedIn
  };
  LoginResult log_in(std::string_view token);
  bool is_valid_secret(std::string_view secret) const;

 private:
  struct Token {
    std::string text;
    Clock::time_point until;
    bool used = false;
  };

  const std::chrono::milliseconds lifetime_;
  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  std::deque<Token> tokens_;  // newest last; used and expired ones are kept for the error message
  std::deque<std::string> secrets_;
};

}  // namespace pinfold::web
