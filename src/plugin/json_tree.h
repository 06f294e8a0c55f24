// json_tree.h: parses untrusted JSON into a tree in which every node has its line and column.
// Invariant: never throws; work and depth are bounded; a duplicate key is a mistake.
// Not here: the meaning of the keys (manifest.cc, approvals_text.cc).
#pragma once

#include <string_view>

#include "policy/node.h"

namespace pinfold::plugin {

// Parses one JSON object. After a syntax error the tree is empty.
policy::ParsedText read_json(std::string_view text);

// "a string", "a list": for messages about a value of the wrong type.
std::string_view kind_of(const policy::Node& node);

}  // namespace pinfold::plugin
