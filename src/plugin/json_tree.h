// json_tree.h: JSON that somebody else wrote, as a tree in which everything knows its line and column.
// Invariant: never throws; work and depth are bounded; a key that is said twice is a mistake, not a choice.
// Not here: what the keys mean (manifest.cc, approvals_text.cc).
#pragma once

#include <string_view>

#include "policy/node.h"

namespace pinfold::plugin {

// The text of one JSON object. After a mistake of syntax the tree holds nothing.
policy::ParsedText read_json(std::string_view text);

// "a string", "a list": for words about a value of the wrong kind.
std::string_view kind_of(const policy::Node& node);

}  // namespace pinfold::plugin
