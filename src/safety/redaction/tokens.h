// tokens.h: keys with a vendor's prefix: AKIA…, ghp_…, sk-ant-…, xoxb-….
// Invariant: a rule is a prefix, an alphabet, a length and further conditions; nothing is tried twice. Checksums are
// not verified: a key with a typing error still reveals the key. Not here: keys without a prefix (assignments.h),
// structures (structures.h).
#pragma once

#include <span>

#include "safety/redaction/chars.h"
#include "safety/redaction/rule.h"

namespace pinfold::redaction {

enum class Needs : std::uint8_t {
  kNothing,
  kNoWords,   // not a name made of words
  kOneDigit,  // an ordinary name made of words has the same letters, but no digit
  kMixed,     // capitals, small letters and digits
  kDotted,    // a dot in it, and capitals, small letters and digits
};

struct TokenRule {
  Rule rule;
  std::string_view prefix;
  Kinds alphabet;
  std::uint16_t least;  // bytes after the prefix
  std::uint16_t most;
  Needs needs;
};

std::span<const TokenRule> token_rules();

// The position is the first byte of a word.
OptionalMatch find_token(const Spot& spot);

}  // namespace pinfold::redaction
