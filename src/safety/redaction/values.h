// values.h: is this the value of a secret, given what its name says?
// Invariant: looks at a bounded value a bounded number of times; a stand-in ("changeme", "${VAR}", "<token>") is none.
// Not here: where values are (assignments.cc).
#pragma once

#include <cstddef>
#include <string_view>

#include "safety/redaction/secret_names.h"

namespace pinfold::redaction {

std::size_t distinct_bytes(std::string_view text);

// Bits for each byte, by how often each occurs in the text itself.
double entropy(std::string_view text);

// "your-token", "${TOKEN}", "xxxxxxxx", "null": stands where a secret will be.
bool is_stand_in(std::string_view value);

// "access_token_v2", "getPassword", "user-name": words and small numbers, as people name things.
bool is_wordy(std::string_view value);

// "Confirm", "New password": the beginning of a sentence or a title.
bool has_capital_start(std::string_view value);

// In quotes, or between tags: its ends are certain.
bool is_quoted_secret(NameKind name, std::string_view value);

// Without quotes: it may be code, or a word of prose.
enum class Bare {
  kLine,    // all of the line after the sign: a file of settings
  kTight,   // NAME=VALUE without blanks
  kInside,  // anywhere else
};
bool is_bare_secret(NameKind name, std::string_view value, Bare where);

// Random by itself: long, of capitals, small letters and digits, no words.
bool is_random(std::string_view value);

}  // namespace pinfold::redaction
