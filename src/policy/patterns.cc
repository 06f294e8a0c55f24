// patterns.cc: all hide patterns of a policy, matched together.
// Invariant: plain names cost one look-up, however many there are.
// Not here: walking directories (plan/search.cc).
#include "policy/patterns.h"

#include <algorithm>

#include "base/paths.h"
#include "policy/rank.h"

namespace pinfold::policy {

void PatternSet::offer(Best& best, std::int32_t index, int rank) {
  if (best.index == kNone || rank > best.rank) best = {index, rank};
}

bool PatternSet::comes_before(const Entry& entry, const Best& best) {
  if (best.index == kNone || entry.rank != best.rank) return best.index == kNone || entry.rank > best.rank;
  return entry.index < best.index;
}

Result<PatternSet> PatternSet::build(const std::vector<HidePattern>& patterns) {
  PatternSet set;
  std::int32_t index = 0;
  for (const HidePattern& pattern : patterns) {
    auto glob = Glob::parse(pattern.glob);
    if (!glob) return tl::unexpected<Error>(std::move(glob).error().within(pattern.origin.where));
    const int ranked = rank(pattern.origin);
    if (glob->absolute())
      set.absolute_[glob->fixed_prefix()].push_back({*glob, index, ranked});
    else if (!glob->literal_name().empty())
      offer(set.literals_[glob->literal_name()], index, ranked);
    else if (glob->by_name())
      set.names_.push_back({std::move(*glob), index, ranked});
    else
      set.relative_.push_back({std::move(*glob), index, ranked});
    ++index;
  }
  return set;
}

std::vector<std::string> PatternSet::absolute_prefixes() const {
  std::vector<std::string> prefixes;
  prefixes.reserve(absolute_.size());
  for (const auto& [prefix, entries] : absolute_) prefixes.push_back(prefix);
  std::sort(prefixes.begin(), prefixes.end());
  return prefixes;
}

std::int32_t PatternSet::match(std::string_view name, std::string_view relative) const {
  Best best;
  const auto literal = literals_.find(name);
  if (literal != literals_.end()) best = literal->second;
  for (const Entry& entry : names_)
    if (entry.glob.matches_name(name)) offer(best, entry.index, entry.rank);
  for (const Entry& entry : relative_)
    if (entry.glob.matches(relative)) offer(best, entry.index, entry.rank);
  return best.index;
}

std::int32_t PatternSet::match_absolute(std::string_view path) const {
  Best best;
  paths::each_at_or_above(path, [&](std::string_view prefix) {
    const auto found = absolute_.find(prefix);
    if (found == absolute_.end()) return;
    for (const Entry& entry : found->second)
      if (entry.glob.matches(path.substr(1)) && comes_before(entry, best)) best = {entry.index, entry.rank};
  });
  return best.index;
}

}  // namespace pinfold::policy
