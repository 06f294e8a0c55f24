// login_tokens.h: who may come in: a link that works once, and the secret that a tab gets for it.
// Invariant: a token lets in one tab, within its lifetime; tokens and secrets are 192 random bits, compared in constant
// time. Wrong ones are not counted: 192 bits cannot be guessed, and a limit would let any local process, also a
// sandboxed one with the host's network, lock the user out. Safe to use from several threads. Not here: where a request
// comes from (csrf_check.h, peer.h).
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace pinfold::web {

enum class Verdict { kIn, kUsed, kExpired, kUnknown };
std::string_view word_of(Verdict verdict);

class Door {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Door(std::chrono::milliseconds lifetime, std::function<Clock::time_point()> now = Clock::now)
      : lifetime_(lifetime), now_(std::move(now)) {}

  std::string new_token();

  struct Entered {
    Verdict verdict = Verdict::kUnknown;
    std::string secret;  // with kIn
  };
  Entered enter(std::string_view token);
  bool is_in(std::string_view secret) const;

 private:
  struct Token {
    std::string text;
    Clock::time_point until;
    bool used = false;
  };

  const std::chrono::milliseconds lifetime_;
  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  std::deque<Token> tokens_;  // the newest last; old ones are kept to say what became of them
  std::deque<std::string> secrets_;
};

}  // namespace pinfold::web
