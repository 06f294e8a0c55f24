// secret_names.h: does the name of a flag, a variable or a header say that its value is a secret?
// Invariant: looks at the name alone, once; names of places ("--password-file", "TOKEN_URL") say where, not what.
// Not here: values that look like secrets by themselves (redact.cc).
#pragma once

#include <string_view>

namespace pinfold::safety {

enum class NameKind {
  kOrdinary,
  kWeak,    // "token", "secret": words of everyday prose; they count before "=" or as a flag, not before ":"
  kSecret,  // "password", "API_KEY", "clientSecret"
  kHeader,  // "Authorization", "Cookie": the value goes on to the end of the line
};

// "--api-key", "DB_PASSWORD", "clientSecret"; leading dashes do not matter.
NameKind name_kind(std::string_view name);

}  // namespace pinfold::safety
