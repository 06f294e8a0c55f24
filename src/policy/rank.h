// rank.h: which of two rules for the same path is heard.
// Invariant: a later source ranks higher; a workspace stands just below explicit rules of its own source, and above
// presets; a grant for always stands between variables and flags, an answer given meanwhile above all. Not here:
// comparing depths (scope.cc).
#pragma once

#include "pinfold/policy.h"

namespace pinfold::policy {

// Profiles inherit from at most this many others.
inline constexpr int kMostLayers = 32;

constexpr int rank(Source source) { return 2 * (kMostLayers + 1) * static_cast<int>(source); }
inline int rank(const Origin& origin) { return rank(origin.source) + 2 * origin.layer; }

// What a person answered "always" to counts as typed, just below what is typed for this run.
inline constexpr int kGrantLayer = -1;
// What a person answered while the command waited, on top of Source::kApi: it was said about the other rules.
inline constexpr int kLiveLayer = kMostLayers;
inline bool is_grant(const Origin& origin) { return origin.source == Source::kFlag && origin.layer == kGrantLayer; }

// Two different answers in one layer contradict each other; a preset's own are settled by the preset.
inline bool contradicts(const Origin& now, const Origin& before) {
  return same_layer(now, before) && now.source != Source::kPreset;
}

template <typename Rule>
int rank(const Rule& rule) {
  if (!rule.workspace) return rank(rule.origin);
  return rule.origin.source == Source::kPreset ? 1 : rank(rule.origin) - 1;
}

}  // namespace pinfold::policy
