// grant.h: the access that an approval adds to a policy.
// Not here: its scope (once, session, always: approval.h), where permanent grants are stored (src/session).
#pragma once

#include <string>

namespace pinfold {

// Equivalent to one --read, --write or --net flag.
struct Grant {
  enum class Kind { kRead, kWrite, kNetwork };
  Kind kind = Kind::kRead;
  std::string resource;  // a canonical path, or a network rule: "example.org:443"
  bool operator==(const Grant&) const = default;
};

}  // namespace pinfold
