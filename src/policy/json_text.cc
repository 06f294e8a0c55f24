// json_text.cc: a policy as JSON, with the keys of the TOML files → a tree of nodes.
// Invariant: never throws; JSON nodes have no place.
// Not here: keys and their meaning (document.cc).
#include <nlohmann/json.hpp>

#include "policy/node.h"

namespace pinfold::policy {
namespace {

using Json = nlohmann::ordered_json;

// Deeper than any policy; a bound for the recursion below.
constexpr int kDeepest = 16;

Table table_of(const Json& from, int depth);

Node node_of(const Json& from, int depth) {
  if (depth > kDeepest) return {Other{"something nested too deeply"}, {}};
  if (from.is_string()) return {from.get<std::string>(), {}};
  if (from.is_boolean()) return {from.get<bool>(), {}};
  if (from.is_number_integer()) return {from.get<std::int64_t>(), {}};
  if (from.is_array()) {
    List list;
    for (const Json& one : from) list.push_back(node_of(one, depth + 1));
    return {std::move(list), {}};
  }
  if (from.is_object()) return {table_of(from, depth + 1), {}};
  return {Other{from.is_null() ? "null" : "a number with a fraction"}, {}};
}

Table table_of(const Json& from, int depth) {
  Table table;
  for (const auto& [key, value] : from.items()) table.push_back({key, {}, node_of(value, depth)});
  return table;
}

}  // namespace

ParsedText parse_json(std::string_view text) {
  ParsedText out;
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    out.mistakes.push_back({{}, "the text is not JSON", "check quotes, commas and brackets"});
  else if (!json.is_object())
    out.mistakes.push_back({{}, "a policy is a JSON object", "write {\"profile\": \"moderate\"}"});
  else
    out.root = table_of(json, 0);
  return out;
}

}  // namespace pinfold::policy
