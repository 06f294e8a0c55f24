// json.h: JSON from somebody who is not trusted: read within bounds, written on one line, compared by value.
// Invariant: never throws; what was read is at most kDeepest deep, so whoever walks it may recurse; an object has each
// key once. Not here: what the values mean (message.h, tools.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "pinfold/result.h"

namespace pinfold::mcp {

// Ordered: people and models read a schema in the order in which it was written.
using Json = nlohmann::ordered_json;

inline constexpr std::size_t kDeepest = 128;
// A line of 10 MiB could hold millions of empty objects, and each takes far more memory than its two characters.
inline constexpr std::size_t kMostValues = 1'000'000;

struct JsonText {
  Json value;
  std::string id_digits;  // of a whole number called "id" at the top that is too large for a number of this machine
};

Result<JsonText> read_json_text(std::string_view text);
Result<Json> read_json(std::string_view text);

// On one line; bytes that are no UTF-8 become U+FFFD.
std::string write_json(const Json& value);

// The same text for the same value: keys in the order of their bytes, no spaces, 1.0 as 1.
std::string canonical(const Json& value);

// The member of an object, or null if it is no object or has none of that name.
const Json* member(const Json& object, std::string_view name);
// The same if it is a string; empty otherwise.
std::string text_member(const Json& object, std::string_view name);

}  // namespace pinfold::mcp
