// json_redactor.h: redacts secrets and personal data in JSON; the result is JSON.
// Invariant: valid JSON stays valid, and bytes without a match stay unchanged: strings stay strings, a redacted number
// becomes 0. After the first byte that is not JSON, the rest is redacted as text. Memory is bounded by the longest
// string. Not here: the rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "safety/redaction/redactor.h"

namespace pinfold::redaction {

// One document, or several one after the other (JSON lines).
class JsonRedactor {
 public:
  explicit JsonRedactor(Redactor& redactor) : redactor_(redactor) {}

  std::string feed(std::string_view chunk);
  std::string finish();

 private:
  enum class State { kBetween, kString, kScalar, kText };
  struct Level {
    bool object = false;
    bool wants_key = false;
    std::string key;
    std::string named;  // the value of "name" or "key" in this object: {"name": "DB_PASSWORD", "value": …}
  };

  void between(char c, std::string& out);
  void end_string(std::string& out);
  void end_scalar(std::string& out);
  void give_up(std::string_view rest, std::string& out);
  std::string redacted_value(const std::string& text);
  std::string redacted_key(const std::string& text);

  static constexpr std::size_t kDeepest = 1000;
  Redactor& redactor_;
  State state_ = State::kBetween;
  bool escaped_ = false;
  std::string token_;  // the string or number that is being read, with its quotes
  std::vector<Level> levels_;
};

// A text that is one JSON document, as it would go through a JsonRedactor.
std::string redact_json(Redactor& redactor, std::string_view text);

}  // namespace pinfold::redaction
