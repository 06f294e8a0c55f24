// values.h: is this value a secret, given the kind of its name?
// Invariant: reads a bounded value a bounded number of times; a placeholder ("changeme", "${VAR}", "<token>") is not a
// secret. Not here: finding values (assignments.cc).
#pragma once

#include <cstddef>
#include <string_view>

#include "safety/redaction/secret_names.h"
#include "safety/redaction/word_shape.h"

namespace pinfold::redaction {

// "your-token", "${TOKEN}", "xxxxxxxx", "null": a placeholder for a secret.
bool is_stand_in(std::string_view value);

// "m{{h}o)p${e]nob(": signs of many sorts between letters, and no blank; a pattern has its own marks.
bool is_scramble(std::string_view value);

// In quotes, or between tags: its ends are certain.
bool is_quoted_secret(NameKind name, std::string_view value);

// Without quotes: it may be code, or a word of prose.
enum class UnquotedContext {
  kLine,    // all of the line after the sign: a file of settings
  kTight,   // NAME=VALUE without blanks
  kInside,  // anywhere else
};
bool is_bare_secret(NameKind name, std::string_view value, UnquotedContext where);

// Random by itself: long, of capitals, small letters and digits, no words.
bool is_random(std::string_view value);

}  // namespace pinfold::redaction
