// line_diff.h: the lines in which two texts differ.
// Invariant: work is bounded: above 4,000,000 pairs of lines, the whole text counts as replaced.
// Not here: colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pinfold {

enum class Change { kKept, kRemoved, kAdded };
struct DiffLine {
  Change change = Change::kKept;
  std::string text;
};

// Removed and added lines in their order, with up to `context` kept lines around them.
std::vector<DiffLine> line_diff(std::string_view before, std::string_view after, std::size_t context);

}  // namespace pinfold
