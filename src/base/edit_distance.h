// edit_distance.h: "did you mean".
// Invariant: suggests a word only if the distance is small for its length.
// Not here: wording.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace pinfold {

// Insertions, deletions, substitutions and swaps of neighbours that turn one into the other; ignores ASCII case.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, or nothing if none is near.
std::optional<std::string_view> nearest(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace pinfold
