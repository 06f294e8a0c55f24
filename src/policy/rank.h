// rank.h: the rank of a rule: of two for the same path the higher one applies.
// Invariant: a later source ranks higher; a workspace ranks just below explicit rules of its own source, and above
// presets; a permanent grant ranks between variables and flags, a grant made during the run above all.
// Not here: comparing depths (scope.cc).
#pragma once

#include "pinfold/policy.h"

namespace pinfold::policy {

// Profiles inherit from at most this many others.
inline constexpr int kMostLayers = 32;

constexpr int rank(Source source) { return 2 * (kMostLayers + 1) * static_cast<int>(source); }
inline int rank(const Origin& origin) { return rank(origin.source) + 2 * origin.layer; }

// A permanent grant ranks as a flag, just below the flags of this run.
inline constexpr int kGrantLayer = -1;
// A grant that the user made while the command waited ranks above Source::kApi: it overrides the rule that denied.
inline constexpr int kLiveLayer = kMostLayers;
inline bool is_grant(const Origin& origin) { return origin.source == Source::kFlag && origin.layer == kGrantLayer; }

// Two different rules of one layer contradict each other, except in a preset.
inline bool contradicts(const Origin& now, const Origin& before) {
  return same_layer(now, before) && now.source != Source::kPreset;
}

template <typename Rule>
int rank(const Rule& rule) {
  if (!rule.workspace) return rank(rule.origin);
  return rule.origin.source == Source::kPreset ? 1 : rank(rule.origin) - 1;
}

}  // namespace pinfold::policy
