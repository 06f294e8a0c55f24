// setting.h: one setting of a file, a variable or a flag, and applying it to the builder.
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
  bool literal = false;   // a path that is not a pattern, also with wildcards in it
};

// Where relative paths start. Empty: there is none, and a relative path is a mistake.
struct Base {
  std::string directory;
};

void apply(const Setting& setting, const Origin& origin, const Base& base, PolicyBuilder& builder);

// The settings of the variables PINFOLD_*; unknown ones are problems.
struct FromEnvironment {
  std::vector<Setting> settings;
  std::vector<std::string> problems;
};
FromEnvironment read_environment(HostView& host);

}  // namespace pinfold::policy
