// setting.h: one thing that a file, a variable or a flag says, and how the builder is told.
// Invariant: files, variables and flags mean the same by the same key, because all go through apply().
// Not here: reading (document.cc), their order (merge.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/host_view.h"
#include "pinfold/policy.h"
#include "policy/keys.h"

namespace pinfold::policy {

struct Setting {
  Key key = Key::kRead;
  std::string value;
  std::string where;      // "pinfold.toml:3:9", "PINFOLD_READ", "--read"
  bool optional = false;  // a path that may be missing
  bool literal = false;   // a path that is not a pattern, whatever is in it
};

// Where relative paths start. Empty: there is no such place, and a relative path is a mistake.
struct Base {
  std::string directory;
};

void apply(const Setting& setting, const Origin& origin, const Base& base, PolicyBuilder& builder);

// What the variables PINFOLD_* say; unknown ones are problems.
struct FromEnvironment {
  std::vector<Setting> settings;
  std::vector<std::string> problems;
};
FromEnvironment read_environment(HostView& host);

}  // namespace pinfold::policy
