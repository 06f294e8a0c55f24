// merge.h: files, variables and flags become one policy, in that order; a later one overrides.
// Invariant: every mistake of every source is told at once; danger-full-access comes only from what was typed.
// Not here: finding files and consent (settings/), what the host says about paths (scope.h).
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
  // The profile that was typed, and whether full access was typed with it.
  std::optional<Setting> profile;
  std::optional<danger::FullAccess> full_access;
  Source flag_source = Source::kFlag;  // or kApi
};

// Who said which profile, and what it was.
struct Chosen {
  std::string name;
  Origin origin;
};
Chosen choose_profile(const Layers& layers);

Result<Policy> merge(const Layers& layers);

}  // namespace pinfold::policy
