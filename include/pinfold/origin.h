// origin.h: the source of a rule, and which of two rules overrides the other.
// Invariant: a later source overrides an earlier one; within a source the later layer does.
// Not here: the rules themselves (policy.h, network.h).
#pragma once

#include <string>

namespace pinfold {

// Ordered: a later source overrides an earlier one.
enum class Source { kPreset, kUserFile, kProjectFile, kEnvironment, kFlag, kApi };

struct Origin {
  Source source = Source::kPreset;
  std::string where;  // "preset moderate", "--read", "pinfold.toml:12:3"
  int layer = 0;      // order within one source: a file's top level is 0, a profile comes after the inherited ones
};

// Whether `now` is at least as late as `before` and may replace it.
inline bool overrides(const Origin& now, const Origin& before) {
  return now.source != before.source ? now.source > before.source : now.layer >= before.layer;
}
inline bool same_layer(const Origin& a, const Origin& b) { return a.source == b.source && a.layer == b.layer; }

}  // namespace pinfold
