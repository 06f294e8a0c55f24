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

// The candidate with the smallest distance to `name`, or nothing if that distance is too large for the length of
// `name`.
std::optional<std::string_view> closest_word(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace pinfold
