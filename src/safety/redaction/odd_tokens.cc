// odd_tokens.cc: keys with a mark in the middle or at the end, or with a number as mark.
// Invariant: reads a bounded number of bytes before and after the mark.
// Not here: keys with a prefix (token_table.h).
#include "safety/redaction/chars.h"
#include "safety/redaction/structures.h"
#include "safety/redaction/word_shape.h"

namespace pinfold::redaction {

const Rule kTelegramRule{"telegram-token", Group::kSecret, "a Telegram bot's token", "«123456789:AA‹b64u:33›»",
                         "123456789:AAbb"};
const Rule kAsanaRule{"asana-token", Group::kSecret, "an Asana token", "0/«1234567890123456:‹an:32›»",
                      "1234567890123456:8080"};
const Rule kFacebookRule{"facebook-app-token", Group::kSecret, "a Facebook application's token",
                         "«123456789012345|‹an:27›»", "123456789012345|name"};
const Rule kAzureRule{"azure-secret", Group::kSecret, "an Entra ID client secret", "x=«abc8Q~‹an:34›»", "FAQ~about"};
const Rule kMaxmindRule{"maxmind-key", Group::kSecret, "a MaxMind licence key", "«‹an:6›_‹an:29›_mmk»", "read_mmk"};
const Rule kFirebaseRule{"firebase-token", Group::kSecret, "a Firebase messaging token", "«‹an:11›:APA91b‹an:134›»",
                         "a:APA91b"};

namespace {

using std::string_view;

OptionalMatch back(OptionalMatch match, std::size_t bytes) {
  if (match) match->begin = -static_cast<std::ptrdiff_t>(bytes);
  return match;
}

}  // namespace

OptionalMatch find_numbered_token(const Spot& spot, std::size_t digits) {
  const std::size_t begin = digits + 1;
  const std::size_t length = run_of(spot.ahead, begin, kBase64Url);
  const string_view secret = spot.ahead.substr(std::min(begin, spot.ahead.size()), length);
  const std::size_t end = begin + length;
  if (byte_at(spot.ahead, digits) == '|')
    return (digits == 15 || digits == 16) && length >= 27 && length <= 40 && is_drawn(secret)
               ? found(kFacebookRule, 0, end)
               : std::nullopt;
  if ((digits == 15 || digits == 16) && length >= 32 && length <= 36 && spot.before() == '/' && is_drawn(secret))
    return found(kAsanaRule, 0, end);
  const bool usual = length >= 34 && length <= 36 && secret.starts_with("AA");
  if (digits < 8 || digits > 10 ||
      (!usual && !(length == 35 && secret[0] == 'A' && count_of(secret, kDigit) >= 2 && is_drawn(secret))))
    return std::nullopt;
  return found(kTelegramRule, 0, end);
}

OptionalMatch find_azure_secret(const Spot& spot) {
  constexpr std::size_t kBefore = 5;  // "abc8Q"
  const string_view behind = spot.behind;
  if (behind.size() < kBefore || !is(behind[behind.size() - 2], kDigit)) return std::nullopt;
  const string_view head = behind.substr(behind.size() - kBefore, 3);
  const Kinds alphabet = kName | kDotTilde;
  if (!all_of(head, alphabet) || (behind.size() > kBefore && is(behind[behind.size() - kBefore - 1], kAlnum)))
    return std::nullopt;
  const std::size_t length = run_of(spot.ahead, 1, alphabet);
  if (length < 31 || length > 34) return std::nullopt;
  return back(found(kAzureRule, 0, 1 + length), kBefore);
}

OptionalMatch find_maxmind_key(const Spot& spot) {
  constexpr std::size_t kHead = 6;
  constexpr std::size_t kBody = 29;
  constexpr std::size_t kAll = kHead + 1 + kBody + 1;
  const string_view behind = spot.behind;
  if (!spot.ahead.starts_with("mmk") || is(byte_at(spot.ahead, 3), kName) || behind.size() < kAll) return std::nullopt;
  const string_view key = behind.substr(behind.size() - kAll);
  if (!all_of(key.substr(0, kHead), kAlnum) || key[kHead] != '_' || !all_of(key.substr(kHead + 1, kBody), kAlnum) ||
      key.back() != '_')
    return std::nullopt;
  return back(found(kMaxmindRule, 0, 3), kAll);
}

OptionalMatch find_firebase_token(const Spot& spot) {
  const std::size_t head = run_back(spot.behind, kBase64Url);
  const std::size_t body = run_of(spot.ahead, 1, kBase64Url);
  const string_view name = spot.behind.substr(spot.behind.size() - head);
  const bool server = name.size() == 11 && name.starts_with("AAAA");
  if (head < 11 || head > 24 || body < 100 || !(server || spot.ahead.substr(1).starts_with("APA91b")))
    return std::nullopt;
  return back(found(kFirebaseRule, 0, 1 + body), head);
}

}  // namespace pinfold::redaction
