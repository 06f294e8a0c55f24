// login_tokens.cc: tokens and secrets.
#include "web/login_tokens.h"

#include <array>

#include <sodium/randombytes.h>
#include <sodium/utils.h>

namespace pinfold::web {
namespace {

constexpr std::size_t kBytes = 24;
constexpr std::size_t kMostTokens = 64;
constexpr std::size_t kMostTabs = 64;

std::string random_text() {
  std::array<unsigned char, kBytes> bytes{};
  ::randombytes_buf(bytes.data(), bytes.size());
  std::array<char, kBytes * 2 + 1> text{};
  ::sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  return text.data();
}

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::string_view word_of(LoginStatus status) {
  switch (status) {
    case LoginStatus::kLoggedIn: return "in";
    case LoginStatus::kUsed: return "used";
    case LoginStatus::kExpired: return "expired";
    case LoginStatus::kUnknown: break;
  }
  return "unknown";
}

std::string LoginTokens::new_token() {
  const std::lock_guard lock(mutex_);
  tokens_.push_back({random_text(), now_() + lifetime_});
  if (tokens_.size() > kMostTokens) tokens_.pop_front();
  return tokens_.back().text;
}

LoginTokens::LoginResult LoginTokens::log_in(std::string_view token) {
  const std::lock_guard lock(mutex_);
  const auto time = now_();
  Token* found = nullptr;
  for (Token& each : tokens_)
    if (same(each.text, token)) found = &each;
  if (found == nullptr) return {LoginStatus::kUnknown, {}};
  if (found->used) return {LoginStatus::kUsed, {}};
  if (time >= found->until) return {LoginStatus::kExpired, {}};
  found->used = true;
  secrets_.push_back(random_text());
  if (secrets_.size() > kMostTabs) secrets_.pop_front();
  return {LoginStatus::kLoggedIn, secrets_.back()};
}

bool LoginTokens::is_valid_secret(std::string_view secret) const {
  const std::lock_guard lock(mutex_);
  bool found = false;
  for (const std::string& each : secrets_) found = same(each, secret) || found;
  return found;
}

}  // namespace pinfold::web
