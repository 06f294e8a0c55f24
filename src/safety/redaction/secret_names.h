// secret_names.h: does the name of a flag, a variable or a header say that its value is a secret?
// Invariant: looks at the name alone, once; names of places ("--password-file", "TOKEN_URL") say where, not what.
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
  kHeader,    // "Authorization", "Cookie": the value goes on to the end of the line
};

// "--api-key", "DB_PASSWORD", "clientSecret"; leading dashes do not matter.
NameKind name_kind(std::string_view name);

// Is the value of a variable of this name a secret, whatever it looks like? Not that of PWD or KEY.
inline bool says_secret(std::string_view name) { return name_kind(name) >= NameKind::kWeak; }

}  // namespace pinfold::redaction
