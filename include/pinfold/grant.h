// grant.h: what a yes adds to a policy.
// Not here: for how long (question.h), who said it and where it is kept.
#pragma once

#include <string>

namespace pinfold {

// What --read, --write or --net adds.
struct Grant {
  enum class Kind { kRead, kWrite, kNetwork };
  Kind kind = Kind::kRead;
  std::string resource;  // an absolute path without links, or a rule of the network: "example.org:443"
  bool operator==(const Grant&) const = default;
};

}  // namespace pinfold
