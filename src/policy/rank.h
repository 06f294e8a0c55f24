// rank.h: which of two rules for the same path is heard.
// Invariant: a later source ranks higher; a workspace stands just below explicit rules of its own source, and above
// presets. Not here: comparing depths (scope.cc).
#pragma once

#include "pinfold/policy.h"

namespace pinfold::policy {

constexpr int rank(Source source) { return 2 * static_cast<int>(source); }

template <typename Rule>
constexpr int rank(const Rule& rule) {
  if (!rule.workspace) return rank(rule.origin.source);
  return rule.origin.source == Source::kPreset ? 1 : rank(rule.origin.source) - 1;
}

}  // namespace pinfold::policy
