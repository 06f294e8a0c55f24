// patterns.cc: all hide patterns of a policy, matched together.
// Invariant: plain names cost one look-up, however many there are.
// Not here: walking directories (plan/search.cc).
#include "policy/patterns.h"

#include "policy/rank.h"

namespace pinfold::policy {

void PatternSet::offer(Best& best, std::int32_t index, int rank) {
  if (best.index == kNone || rank > best.rank) best = {index, rank};
}

Result<PatternSet> PatternSet::build(const std::vector<HidePattern>& patterns) {
  PatternSet set;
  std::int32_t index = 0;
  for (const HidePattern& pattern : patterns) {
    auto glob = Glob::parse(pattern.glob);
    if (!glob) return tl::unexpected<Error>(std::move(glob).error().within(pattern.origin.where));
    const int ranked = rank(pattern.origin);
    if (glob->absolute())
      set.absolute_.push_back({std::move(*glob), index, ranked});
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
  for (const Entry& entry : absolute_) prefixes.push_back(entry.glob.fixed_prefix());
  return prefixes;
}

std::int32_t PatternSet::match(std::string_view name, std::string_view relative) const {
  Best best;
  const auto literal = literals_.find(std::string(name));
  if (literal != literals_.end()) best = literal->second;
  for (const Entry& entry : names_)
    if (entry.glob.matches_name(name)) offer(best, entry.index, entry.rank);
  for (const Entry& entry : relative_)
    if (entry.glob.matches(relative)) offer(best, entry.index, entry.rank);
  return best.index;
}

std::int32_t PatternSet::match_absolute(std::string_view path) const {
  Best best;
  for (const Entry& entry : absolute_)
    if (entry.glob.matches(path.substr(1))) offer(best, entry.index, entry.rank);
  return best.index;
}

}  // namespace pinfold::policy
