// shapes.cc: keys that are known by how they look.
// Invariant: each shape is a prefix and a run of characters; nothing is tried twice.
// Not here: names (secret_names.h), what is done with a match (redact.cc).
#include "safety/shapes.h"

#include <algorithm>

namespace pinfold::safety {
namespace {

using std::string_view;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper_or_digit(char c) { return (c >= 'A' && c <= 'Z') || is_digit(c); }
bool is_alnum(char c) { return is_upper_or_digit(c) || (c >= 'a' && c <= 'z'); }
bool is_base64url(char c) { return is_alnum(c) || c == '-' || c == '_'; }

using Allowed = bool (*)(char);

std::size_t run_of(string_view text, std::size_t at, Allowed allowed) {
  std::size_t end = at;
  while (end < text.size() && allowed(text[end])) ++end;
  return end - at;
}

// kDigit: an ordinary name made of words ("sk-some-long-branch-name") has the same letters, but no digit.
enum class Needs { kNothing, kDigit };

struct Shape {
  string_view prefix;
  Allowed allowed;
  std::size_t least;  // characters after the prefix
  std::size_t most;
  Needs needs;
};

constexpr std::size_t kAny = static_cast<std::size_t>(-1);

constexpr Shape kShapes[] = {
    {"AKIA", is_upper_or_digit, 16, 16, Needs::kNothing}, {"ASIA", is_upper_or_digit, 16, 16, Needs::kNothing},
    {"AIza", is_base64url, 35, 35, Needs::kNothing},      {"dop_v1_", is_alnum, 40, kAny, Needs::kDigit},
    {"ghp_", is_alnum, 20, kAny, Needs::kNothing},        {"gho_", is_alnum, 20, kAny, Needs::kNothing},
    {"ghu_", is_alnum, 20, kAny, Needs::kNothing},        {"ghs_", is_alnum, 20, kAny, Needs::kNothing},
    {"ghr_", is_alnum, 20, kAny, Needs::kNothing},        {"github_pat_", is_base64url, 20, kAny, Needs::kNothing},
    {"glpat-", is_base64url, 16, kAny, Needs::kNothing},  {"hf_", is_alnum, 30, kAny, Needs::kNothing},
    {"npm_", is_alnum, 30, kAny, Needs::kDigit},          {"pypi-", is_base64url, 32, kAny, Needs::kDigit},
    {"rk_live_", is_alnum, 16, kAny, Needs::kNothing},    {"sk_live_", is_alnum, 16, kAny, Needs::kNothing},
    {"sk_test_", is_alnum, 16, kAny, Needs::kNothing},    {"sk-", is_base64url, 20, kAny, Needs::kDigit},
    {"xapp-", is_base64url, 16, kAny, Needs::kDigit},     {"xoxa-", is_base64url, 10, kAny, Needs::kDigit},
    {"xoxb-", is_base64url, 10, kAny, Needs::kDigit},     {"xoxe-", is_base64url, 10, kAny, Needs::kDigit},
    {"xoxp-", is_base64url, 10, kAny, Needs::kDigit},     {"xoxr-", is_base64url, 10, kAny, Needs::kDigit},
    {"xoxs-", is_base64url, 10, kAny, Needs::kDigit},
};

// "-----BEGIN RSA PRIVATE KEY-----" to its end line, or to the end of a text that was cut.
std::size_t private_key(string_view text, std::size_t at) {
  constexpr string_view kBegin = "-----BEGIN ";
  constexpr string_view kMark = "PRIVATE KEY-----";
  constexpr string_view kEnd = "-----END ";
  constexpr std::size_t kLongestLabel = 32;
  const string_view rest = text.substr(at);
  if (!rest.starts_with(kBegin)) return 0;
  const std::size_t mark = rest.substr(0, kBegin.size() + kLongestLabel + kMark.size()).find(kMark);
  if (mark == string_view::npos) return 0;
  const std::size_t end = rest.find(kEnd, mark);
  const std::size_t close = end == string_view::npos ? end : rest.find("-----", end + kEnd.size());
  return close == string_view::npos ? rest.size() : close + 5;
}

// Three parts of base64 between dots; the first is a JSON object, so it begins with "eyJ".
std::size_t web_token(string_view text, std::size_t at) {
  constexpr std::size_t kLeast = 10;
  if (!text.substr(at).starts_with("eyJ")) return 0;
  const std::size_t head = run_of(text, at, is_base64url);
  std::size_t end = at + head;
  if (head < kLeast || end >= text.size() || text[end] != '.') return 0;
  const std::size_t body = run_of(text, end + 1, is_base64url);
  if (body < kLeast) return 0;
  end += 1 + body;
  if (end < text.size() && text[end] == '.') end += 1 + run_of(text, end + 1, is_base64url);
  return end - at;
}

}  // namespace

bool is_token_char(char c) { return is_base64url(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='; }

std::size_t secret_shape(string_view text, std::size_t at) {
  switch (text[at]) {
    case '-': return private_key(text, at);
    case 'e': return web_token(text, at);
    case 'A':
    case 'd':
    case 'g':
    case 'h':
    case 'n':
    case 'p':
    case 'r':
    case 's':
    case 'x': break;
    default: return 0;
  }
  const string_view rest = text.substr(at);
  for (const Shape& shape : kShapes) {
    if (!rest.starts_with(shape.prefix)) continue;
    const std::size_t length = run_of(rest, shape.prefix.size(), shape.allowed);
    if (length < shape.least || length > shape.most) return 0;
    const string_view body = rest.substr(shape.prefix.size(), length);
    if (shape.needs == Needs::kDigit && std::none_of(body.begin(), body.end(), is_digit)) return 0;
    return shape.prefix.size() + length;
  }
  return 0;
}

}  // namespace pinfold::safety
