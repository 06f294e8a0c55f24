// secret_names.h: classifies the name of a flag, a variable or a header: is its value a secret?
// Invariant: reads the name once; a name of a location ("--password-file", "TOKEN_URL") is not a secret's name.
// Not here: values (values.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace pinfold::redaction {

enum class NameKind : std::uint8_t {
  kOrdinary,
  kShort,     // "pass", "pwd" alone: only with a value that no word is
  kFaint,     // "key", "auth", "salt": only with a value that is plainly random
  kWeak,      // "token", "secret": words of everyday prose; they count before "=" or as a flag, not before ":"
  kKey,       // "API_KEY", "clientSecret": a machine made the value
  kPassword,  // "password", "DB_PASS": a person may have made it
  kHeader,    // "Authorization", "Cookie": the value extends to the end of the line
};

// "--api-key", "DB_PASSWORD", "clientSecret"; leading dashes do not matter.
NameKind name_kind(std::string_view name);

// Is every value of a variable of this name a secret? Not for PWD or KEY.
inline bool says_secret(std::string_view name) { return name_kind(name) >= NameKind::kWeak; }

}  // namespace pinfold::redaction
