// structures.cc: blocks, tokens, addresses and hashes, each by its own grammar.
// Invariant: text about a secret (an empty block, a header without a body) stays.
// Not here: the scan (redactor.cc).
#include "safety/redaction/structures.h"

#include "base/encode.h"
#include "safety/redaction/assignments.h"
#include "safety/redaction/chars.h"
#include "safety/redaction/tokens.h"
#include "safety/redaction/values.h"

namespace pinfold::redaction {

const Rule kKeyBlockRule{"private-key", Group::kSecret, "a private key between BEGIN and END, over lines or in one",
                         "«-----BEGIN PRIVATE KEY-----\n‹b64:64›\n-----END PRIVATE KEY-----»",
                         "it begins with -----BEGIN PRIVATE KEY----- and ends"};
const Rule kWebTokenRule{"web-token", Group::kSecret, "a JSON Web Token whose header can be read",
                         "t=«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.‹b64u:43›»", "eyJhbGciOiJIUzI1NiJ9 and nothing"};
const Rule kAddressRule{"url-password", Group::kSecret, "the password, or a lone token, in an address",
                        "postgres://ada:«Sunny-Day-42»@db:5432/x", "postgres://user:${PASSWORD}@db/x"};
const Rule kHashRule{"password-hash", Group::kSecret, "a stored password: crypt, bcrypt, argon2, LDAP",
                     "root:«$6$‹an:16›$‹an:86›»:19000:", "costs $5 or $6 each"};
const Rule kWebhookRule{"webhook", Group::kSecret, "the secret part of a Slack, Discord or Teams webhook",
                        "https://hooks.slack.com/services/«T‹up:8›/B‹up:10›/‹an:24›»",
                        "https://hooks.slack.com/services/T00/B00/XX"};
const Rule kDiscordRule{"discord-token", Group::kSecret, "a Discord bot's token", "«MT‹an:22›.G‹an:5›.‹b64u:38›»",
                        "Module.method.call"};

namespace {

using std::string_view;

constexpr string_view kEndMark = "-----END";
constexpr std::size_t kBodyRun = 16;

// Skips the text between the lines of a key: blanks, line ends, "\n" spelt out, quotes and "+" of joined strings.
std::size_t past_joints(string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (is(c, kSpace | kQuote) || c == '+' || c == ',') continue;
    if (c == '\\' && string_view("nr\\\"'\n").find(byte_at(text, at + 1)) != string_view::npos) {
      ++at;
      continue;
    }
    break;
  }
  return at;
}

std::string decoded_url(string_view text) {
  std::string standard(text);
  for (char& c : standard) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (standard.size() % 4 != 0) standard += '=';
  return from_base64(standard).value_or("");
}

}  // namespace

OptionalMatch find_key_block(const Spot& spot) {
  constexpr string_view kBegin = "-----BEGIN ";
  constexpr std::size_t kLongestLabel = 48;
  const string_view text = spot.ahead;
  if (!text.starts_with(kBegin)) return std::nullopt;
  const string_view head = text.substr(0, kBegin.size() + kLongestLabel);
  const std::size_t mark = head.find("PRIVATE KEY");
  const std::size_t close = mark == string_view::npos ? mark : head.find("-----", mark);
  if (close == string_view::npos) return std::nullopt;
  const std::size_t body = close + 5;
  std::size_t longest = 0;
  const std::size_t end = std::min(text.find(kEndMark, body), text.size());
  for (std::size_t at = body; at < end; ++at) {
    const std::size_t run = run_of(text.substr(0, end), at, kBase64 | kEqual);
    longest = std::max(longest, run);
    at += run;
  }
  if (longest < kBodyRun) return std::nullopt;
  return found(kKeyBlockRule, 0, body, Tail::kBlock);
}

OptionalMatch find_putty_key(const Spot& spot) {
  const string_view text = spot.ahead;
  if (!spot.behind.ends_with("Private-Lines")) return std::nullopt;
  const std::size_t begin = text.find('\n');
  if (begin > 12) return std::nullopt;  // or there is none
  const std::size_t run = run_of(text, begin + 1, kBase64 | kEqual);
  return run < kBodyRun ? std::nullopt : found(kKeyBlockRule, begin + 1, begin + 1 + run, Tail::kBlock);
}

KeyBlockPart skip_key_block(string_view ahead) {
  constexpr string_view kFields[] = {"Proc", "DEK", "Version", "Comment", "Hash", "Charset", "MessageID"};
  const std::size_t at = past_joints(ahead, 0);
  const string_view rest = ahead.substr(at);
  if (rest.starts_with(kEndMark)) {
    const std::size_t close = rest.substr(0, 80).find("-----", kEndMark.size());
    return {at + (close == string_view::npos ? kEndMark.size() : close + 5), false};
  }
  for (const string_view field : kFields)
    if (rest.starts_with(field) && !is(byte_at(rest, field.size()), kAlnum)) {
      const std::size_t end = std::min({rest.find('\n'), rest.find("\\n"), rest.size()});
      return {at + std::max<std::size_t>(end, 1), true};
    }
  const std::size_t run = run_of(rest, 0, kBase64 | kEqual);
  const char next = byte_at(rest, run);
  const bool last =
      next == '\0' || is(next, kNewline | kQuote) || next == '\\' || rest.substr(run).starts_with(kEndMark);
  if (run == 0 || (run < kBodyRun && !last)) return {};
  return {at + run, true};
}

OptionalMatch find_web_token(const Spot& spot) {
  constexpr std::size_t kLeast = 10;
  const string_view text = spot.ahead;
  if (!text.starts_with("eyJ")) return std::nullopt;
  const std::size_t head = run_of(text, 0, kBase64Url);
  if (head < kLeast || byte_at(text, head) != '.') return std::nullopt;
  const std::size_t body = run_of(text, head + 1, kBase64Url);
  if (body < kLeast) return std::nullopt;
  const std::string header = decoded_url(text.substr(0, head));
  if (!header.starts_with("{\"")) return std::nullopt;
  std::size_t end = head + 1 + body;
  for (int i = 0; i < 3 && byte_at(text, end) == '.' && is(byte_at(text, end + 1), kBase64Url); ++i)
    end += 1 + run_of(text, end + 1, kBase64Url);
  return found(kWebTokenRule, 0, end, end == text.size() ? Tail::kRun : Tail::kNone);
}

OptionalMatch find_address(const Spot& spot) {
  constexpr std::size_t kLongest = 400;
  const string_view text = spot.ahead.substr(0, kLongest);
  if (!text.starts_with("://")) return std::nullopt;
  const std::size_t scheme = run_back(spot.behind, kAlnum);
  if (scheme == 0) return std::nullopt;
  const std::size_t end = std::min(text.find_first_of("/ \t\r\n\"'<>`|,\\", 3), text.size());
  const std::size_t host = text.substr(0, end).rfind('@');
  if (host == string_view::npos ||
      !(is(byte_at(text, host + 1), kAlnum) || string_view("[${%*").find(byte_at(text, host + 1)) != string_view::npos))
    return std::nullopt;
  const std::size_t colon = text.substr(0, host).find(':', 3);
  if (colon == string_view::npos) {
    const string_view user = text.substr(3, host - 3);
    const bool web = starts_like(spot.behind.substr(spot.behind.size() - scheme), "http");
    if (!web || find_token(spot.from(3)) || !is_quoted_secret(NameKind::kWeak, user)) return std::nullopt;
    return found(kAddressRule, 3, host);
  }
  const string_view password = text.substr(colon + 1, host - colon - 1);
  const bool shown = starts_like(text.substr(host + 1), "example.") && password.size() < 9 && all_of(password, kLetter);
  if (text.substr(3, colon - 3).find_first_of("?#=&") != string_view::npos || shown) return std::nullopt;
  if (password.empty() || is_stand_in(password) || find_token(spot.from(colon + 1))) return std::nullopt;
  return found(kAddressRule, colon + 1, host);
}

OptionalMatch find_hash(const Spot& spot) {
  const string_view text = spot.ahead;
  constexpr string_view kLdap[] = {"{SSHA}",    "{SHA}",     "{SMD5}",  "{MD5}",
                                   "{SSHA256}", "{SSHA512}", "{CRYPT}", "{PBKDF2}"};
  for (const string_view mark : kLdap)
    if (text.starts_with(mark)) {
      const std::size_t length = run_of(text, mark.size(), kToken);
      return length < 16 ? std::nullopt : found(kHashRule, 0, mark.size() + length);
    }
  constexpr string_view kCrypt[] = {"$1$",     "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$",     "$7$",      "$apr1$",
                                    "$argon2", "$8$",  "$9$",  "$P$",  "$S$", "$H$", "$pbkdf2", "$scrypt$", "$sha1$"};
  for (const string_view mark : kCrypt) {
    if (!text.starts_with(mark) || is(spot.before(), kAlnum)) continue;
    std::size_t end = mark.size();
    while (end < text.size() && (is(text[end], kBase64 | kDotTilde | kEqual) || text[end] == '$' ||
                                 (text[end] == ',' && text.starts_with("$argon2"))))
      ++end;
    if (end < mark.size() + 20) return std::nullopt;
    return found(kHashRule, 0, end);
  }
  return std::nullopt;
}

OptionalMatch find_webhook(const Spot& spot) {
  constexpr std::size_t kLeast = 30;
  constexpr string_view kPlaces[] = {"hooks.slack.com/services/",    "hooks.slack.com/workflows/",
                                     "hooks.slack.com/triggers/",    "webhook.office.com/webhookb2/",
                                     "discord.com/api/webhooks/",    "discordapp.com/api/webhooks/",
                                     "hooks.zapier.com/hooks/catch/"};
  for (const string_view place : kPlaces) {
    if (!spot.ahead.starts_with(place)) continue;
    std::size_t length = run_of(spot.ahead, place.size(), kToken);
    if (byte_at(spot.ahead, place.size() + length) == '@')  // Teams: GROUP@TENANT/…
      length += 1 + run_of(spot.ahead, place.size() + length + 1, kToken);
    const string_view secret = spot.ahead.substr(place.size(), length);
    if (length < (place.starts_with("hooks.zapier") ? 10 : kLeast) || distinct_bytes(secret) < 8) return std::nullopt;
    return found(kWebhookRule, place.size(), place.size() + length);
  }
  return std::nullopt;
}

OptionalMatch find_discord_token(const Spot& spot) {
  const std::size_t head = run_back(spot.behind, kBase64Url);
  if (head < 23 || head > 28 || byte_at(spot.ahead, 7) != '.') return std::nullopt;
  const string_view name = spot.behind.substr(spot.behind.size() - head);
  if (string_view("MNO").find(name[0]) == string_view::npos || run_of(spot.ahead, 1, kBase64Url) != 6)
    return std::nullopt;
  const std::size_t last = run_of(spot.ahead, 8, kBase64Url);
  if (last < 25 || last > 110 || !any_of(name, kDigit | kLower)) return std::nullopt;
  OptionalMatch match = found(kDiscordRule, 0, 8 + last);
  match->begin = -static_cast<std::ptrdiff_t>(head);
  return match;
}

OptionalMatch find_pgpass(const Spot& spot) {
  const string_view text = spot.ahead;
  std::size_t at = 1;
  const std::size_t port = byte_at(text, 1) == '*' ? 1 : run_of(text, 1, kDigit);
  // A time has two digits between colons, a port more.
  if ((port < 3 && text[1] != '*') || port > 5 || byte_at(text, 1 + port) != ':') return std::nullopt;
  const string_view host = spot.line();
  if (host.empty() || !(all_of(host, kName | kDotTilde) || host == "*")) return std::nullopt;
  at = 2 + port;
  for (int i = 0; i < 2; ++i) {
    const std::size_t end = find_kind(text, at, kColon | kSpace | kPlusSlash);
    if (byte_at(text, end) != ':' || end == at) return std::nullopt;
    if (any_of(text.substr(at, end - at), kDigit) && all_of(text.substr(at, end - at), kDigit)) return std::nullopt;
    at = end + 1;
  }
  std::size_t end = at;
  while (end < text.size() && end < at + 128 && !is(text[end], kSpace | kQuote)) ++end;
  const string_view value = text.substr(at, end - at);
  if (host.size() == 2 && all_of(host, kHex)) return std::nullopt;  // a fingerprint
  // Where four fields fit, even the word is one.
  if (value != "password" && (is_stand_in(value) || !is_quoted_secret(NameKind::kPassword, value))) return std::nullopt;
  return found(kPasswordRule, at, end);
}

}  // namespace pinfold::redaction
