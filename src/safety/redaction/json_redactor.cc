// json_redactor.cc: reads tokens, not trees: bytes between strings and numbers are copied unchanged.
// Invariant: a member name counts like a name before a value in text; JSON inside a string is walked, too.
// Not here: validating the document (an extra comma is not an error).
#include "safety/redaction/json_redactor.h"

#include <nlohmann/json.hpp>

#include "safety/redaction/assignments.h"
#include "safety/redaction/chars.h"
#include "safety/redaction/secret_names.h"
#include "safety/redaction/values.h"

namespace pinfold::redaction {
namespace {

using Json = nlohmann::json;
using std::string_view;

constexpr std::size_t kLongestContext = 40;

bool is_scalar(char c) { return is(c, kAlnum) || c == '+' || c == '-' || c == '.'; }

std::string dumped(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

bool looks_like_json(string_view text) {
  const std::size_t begin = run_of(text, 0, kSpace);
  if (begin >= text.size() || (text[begin] != '{' && text[begin] != '[') || text.size() < 7) return false;
  return Json::accept(text);
}

// "ssn", "phone": rules look for such words before a number.
string_view context_of(string_view name) { return name.substr(name.size() - std::min(name.size(), kLongestContext)); }

}  // namespace

std::string JsonRedactor::redacted_value(const std::string& text) {
  if (looks_like_json(text)) {
    JsonRedactor inner(redactor_);
    std::string out = inner.feed(text);
    out += inner.finish();
    return out;
  }
  std::string name;
  if (!levels_.empty() && levels_.back().object) {
    const Level& level = levels_.back();
    name = same_letters(level.key, "value") && !level.named.empty() ? level.named : level.key;
  }
  const NameKind kind = redactor_.only() == Only::kPersonal ? NameKind::kOrdinary : name_kind(name);
  // An element of a list does not stand alone as the only line of a text does.
  const std::string prefix = (name.empty() ? "," : std::string(context_of(name))) + " ";
  std::string out = redactor_.whole(prefix + text);
  // A name that is taken out itself leaves nothing to cut off at.
  out = out.starts_with(prefix) ? out.substr(prefix.size()) : redactor_.whole(text);
  if (out != text || kind == NameKind::kOrdinary || !is_quoted_secret(kind, text)) return out;
  const Rule& rule = kind == NameKind::kPassword || kind == NameKind::kShort ? kPasswordRule
                     : kind == NameKind::kHeader                             ? kHeaderRule
                                                                             : kGenericRule;
  return redactor_.tag(rule.name, text);
}

std::string JsonRedactor::redacted_key(const std::string& text) { return redactor_.whole(text); }

void JsonRedactor::end_string(std::string& out) {
  state_ = State::kBetween;
  const Json parsed = Json::parse(token_, nullptr, false);
  if (!parsed.is_string()) return give_up(std::exchange(token_, {}), out);
  const std::string text = parsed.get<std::string>();
  const bool key = !levels_.empty() && levels_.back().object && levels_.back().wants_key;
  const std::string safe = key ? redacted_key(text) : redacted_value(text);
  out += safe == text ? token_ : dumped(safe);
  token_.clear();
  if (levels_.empty() || !levels_.back().object) return;
  Level& level = levels_.back();
  if (key)
    level.key = text.substr(0, 256);
  else if (same_letters(level.key, "name") || same_letters(level.key, "key"))
    level.named = text.substr(0, 256);
}

// A number that matches a rule becomes 0; true, false and null stay.
void JsonRedactor::end_scalar(std::string& out) {
  state_ = State::kBetween;
  const std::string scalar = std::exchange(token_, {});
  const Json parsed = Json::parse(scalar, nullptr, false);
  if (parsed.is_discarded()) return give_up(scalar, out);
  out += !parsed.is_number() || redacted_value(scalar) == scalar ? scalar : "0";
}

void JsonRedactor::give_up(string_view rest, std::string& out) {
  state_ = State::kText;
  out += redactor_.feed(rest);
}

void JsonRedactor::between(char c, std::string& out) {
  if (c == '"') {
    state_ = State::kString;
    token_ = c;
    return;
  }
  if (is_scalar(c)) {
    state_ = State::kScalar;
    token_ = c;
    return;
  }
  if (c == '{' || c == '[') {
    if (levels_.size() >= kDeepest) return give_up({&c, 1}, out);
    levels_.push_back({c == '{', c == '{', {}, {}});
  } else if (c == '}' || c == ']') {
    if (levels_.empty() || levels_.back().object != (c == '}')) return give_up({&c, 1}, out);
    levels_.pop_back();
  } else if (c == ':' || c == ',') {
    if (levels_.empty()) return give_up({&c, 1}, out);
    levels_.back().wants_key = c == ',' && levels_.back().object;
  } else if (!is(c, kSpace)) {
    return give_up({&c, 1}, out);
  }
  out += c;
}

std::string JsonRedactor::feed(string_view chunk) {
  std::string out;
  for (std::size_t at = 0; at < chunk.size(); ++at) {
    const char c = chunk[at];
    switch (state_) {
      case State::kText: return out + redactor_.feed(chunk.substr(at));
      case State::kString:
        token_ += c;
        if (escaped_)
          escaped_ = false;
        else if (c == '\\')
          escaped_ = true;
        else if (c == '"')
          end_string(out);
        break;
      case State::kScalar:
        if (is_scalar(c)) {
          token_ += c;
          break;
        }
        end_scalar(out);
        if (state_ == State::kText) return out + redactor_.feed(chunk.substr(at));
        [[fallthrough]];
      case State::kBetween: between(c, out); break;
    }
  }
  return out;
}

std::string JsonRedactor::finish() {
  std::string out;
  if (state_ == State::kScalar) end_scalar(out);
  if (state_ == State::kString) give_up(std::exchange(token_, {}), out);
  if (state_ == State::kText) out += redactor_.finish();
  state_ = State::kBetween;
  escaped_ = false;
  levels_.clear();
  return out;
}

std::string redact_json(Redactor& redactor, string_view text) {
  JsonRedactor walker(redactor);
  std::string out = walker.feed(text);
  out += walker.finish();
  return out;
}

}  // namespace pinfold::redaction
