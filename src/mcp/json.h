// json.h: untrusted JSON: parsed within bounds, written on one line, compared by value.
// Invariant: never throws; a parsed value is at most kDeepest deep, so code may recurse over it; an object has each key
// once. Not here: the meaning of the values (message.h, tools.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "pinfold/result.h"

namespace pinfold::mcp {

// Ordered: people and models read a schema in its original order.
using Json = nlohmann::ordered_json;

inline constexpr std::size_t kDeepest = 128;
// A line of 10 MiB could hold millions of empty objects, each of which needs far more memory than two bytes.
inline constexpr std::size_t kMostValues = 1'000'000;

struct JsonText {
  Json value;
  std::string id_digits;  // of a top-level integer "id" that does not fit into 64 bits
};

Result<JsonText> read_json_text(std::string_view text);
Result<Json> read_json(std::string_view text);

// On one line; bytes that are not UTF-8 become U+FFFD.
std::string write_json(const Json& value);

// Equal values give equal texts: keys sorted by their bytes, no spaces, 1.0 as 1.
std::string canonical(const Json& value);

// The member of that name, or null if `object` is not an object or has no such member.
const Json* member(const Json& object, std::string_view name);
// Its value if it is a string; empty otherwise.
std::string text_member(const Json& object, std::string_view name);

}  // namespace pinfold::mcp
