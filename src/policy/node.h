// node.h: a parsed policy text as a plain tree, for every notation.
// Invariant: every node and key knows its line and column (0: the notation has none).
// Not here: parsing (toml.cc, json_text.cc), meaning (document.cc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pinfold/result.h"

namespace pinfold::policy {

struct SourceLocation {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Node;
struct Member;
using List = std::vector<Node>;
using Table = std::vector<Member>;  // in the order of the text
struct Other {                      // a date, a number with a fraction: nothing that a policy holds
  std::string_view kind;
};

struct Node {
  std::variant<std::string, bool, std::int64_t, List, Table, Other> value;
  SourceLocation location;
};
struct Member {
  std::string key;
  SourceLocation location;
  Node node;
};

// A mistake in a text, at its place.
struct Mistake {
  SourceLocation location;
  std::string what;
  std::string fix;
};

struct ParsedText {
  Table root;
  std::vector<Mistake> mistakes;  // of syntax
};

// Never throws. After a mistake of syntax the rest is still read where that is possible.
ParsedText parse_toml(std::string_view text);
ParsedText parse_json(std::string_view text);

}  // namespace pinfold::policy
