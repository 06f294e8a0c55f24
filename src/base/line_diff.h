// line_diff.h: the lines that two texts do not share.
// Invariant: work is bounded: texts that differ in very many lines are shown as wholly replaced.
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
