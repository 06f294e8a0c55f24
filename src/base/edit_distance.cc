// edit_distance.cc: "did you mean", by optimal string alignment distance.
// Invariant: bounded: words longer than 64 bytes are not compared.
// Not here: wording.
#include "base/edit_distance.h"

#include <algorithm>
#include <array>

namespace pinfold {
namespace {

constexpr std::size_t kLongest = 64;

char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (a.size() > kLongest || b.size() > kLongest) return std::max(a.size(), b.size());
  std::array<std::array<std::size_t, kLongest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& now = rows[i % 3];
    const auto& last = rows[(i - 1) % 3];
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        now[j] = std::min(now[j], rows[(i - 2) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::optional<std::string_view> closest_word(std::string_view name, const std::vector<std::string_view>& candidates) {
  std::optional<std::string_view> best;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    // A prefix of at least three letters is a near miss too ("perm" for "permissive").
    const std::size_t score =
        name.size() >= 3 && candidate.size() <= kLongest && candidate.starts_with(name) ? 1 : distance;
    if (score >= least) continue;
    least = score;
    best = candidate;
  }
  return best;
}

}  // namespace pinfold
