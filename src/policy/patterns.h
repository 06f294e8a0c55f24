// patterns.h: all hide patterns of a policy, matched together.
// Invariant: of several that match, the one that ranks highest is named.
// Not here: walking directories (plan/search.cc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/text_map.h"
#include "pinfold/policy.h"

namespace pinfold::policy {

class PatternSet {
 public:
  static constexpr std::int32_t kNone = -1;

  static Result<PatternSet> build(const std::vector<HidePattern>& patterns);

  bool any_relative() const { return !literals_.empty() || !names_.empty() || !relative_.empty(); }
  bool any_absolute() const { return !absolute_.empty(); }
  // The directories from which absolute patterns must be searched, each once, in order.
  std::vector<std::string> absolute_prefixes() const;

  // The pattern that hides this path below a workspace; `name` is the last name of `relative`.
  std::int32_t match(std::string_view name, std::string_view relative) const;
  // The absolute pattern that hides this canonical path.
  std::int32_t match_absolute(std::string_view path) const;

 private:
  struct Entry {
    Glob glob;
    std::int32_t index;
    int rank;
  };
  struct Best {
    std::int32_t index = kNone;
    int rank = 0;
  };
  static bool comes_before(const Entry& entry, const Best& best);
  static void offer(Best& best, std::int32_t index, int rank);

  TextMap<Best> literals_;                // "**/.env" by its name
  std::vector<Entry> names_;              // "**/*.pem"
  std::vector<Entry> relative_;           // "a/**/b"
  TextMap<std::vector<Entry>> absolute_;  // by the directory before the first wildcard
};

}  // namespace pinfold::policy
