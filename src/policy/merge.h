// merge.h: files, variables and flags become one policy, in that order; a later one overrides.
// Invariant: every mistake of every source is reported at once; danger-full-access comes only from the command line.
// Not here: finding files and consent (settings/), resolving paths on the host (scope.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pinfold/policy.h"
#include "policy/document.h"
#include "policy/setting.h"

namespace pinfold::policy {

struct Layers {
  Caller caller;
  const Document* user = nullptr;     // the user's own file, or none
  const Document* project = nullptr;  // the project's, or none
  FromEnvironment environment;
  std::vector<Setting> flags;
  // The profile of the command line, and the token if it is full access.
  std::optional<Setting> profile;
  std::optional<danger::FullAccess> full_access;
  Source flag_source = Source::kFlag;  // or kApi
};

// The chosen profile and the source that chose it.
struct ProfileChoice {
  std::string name;
  Origin origin;
};
ProfileChoice choose_profile(const Layers& layers);

Result<Policy> merge(const Layers& layers);

}  // namespace pinfold::policy
