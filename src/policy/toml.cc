// toml.cc: TOML text → a tree of nodes.
// Invariant: never throws; after a mistake the line is set aside and the rest read, so that all are told at once.
// Not here: keys and their meaning (document.cc).
#include <algorithm>
#include <utility>

// The library asserts what hostile text can make false ("[~x]"), and has the right error behind the assertion. With
// NDEBUG it would even tell the compiler to rely on it.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/text.h"
#include "policy/node.h"

namespace pinfold::policy {
namespace {

// More mistakes of syntax than this are most likely one mistake seen again and again.
constexpr std::size_t kMostMistakes = 8;

Place place_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

bool before(const Place& a, const Place& b) { return std::pair(a.line, a.column) < std::pair(b.line, b.column); }

Table table_of(const toml::table& from);

Node node_of(const toml::node& from) {
  const Place place = place_of(from.source());
  if (const auto* text = from.as_string()) return {text->get(), place};
  if (const auto* flag = from.as_boolean()) return {flag->get(), place};
  if (const auto* number = from.as_integer()) return {number->get(), place};
  if (const auto* array = from.as_array()) {
    List list;
    for (const toml::node& one : *array) list.push_back(node_of(one));
    return {std::move(list), place};
  }
  if (const auto* table = from.as_table()) return {table_of(*table), place};
  return {Other{from.is_floating_point() ? "a number with a fraction" : "a date"}, place};
}

Table table_of(const toml::table& from) {
  Table table;
  for (const auto& [key, node] : from) table.push_back({std::string(key.str()), place_of(key.source()), node_of(node)});
  std::stable_sort(table.begin(), table.end(),
                   [](const Member& a, const Member& b) { return before(a.place, b.place); });
  return table;
}

// Blanks out one line, so that the places of all others stay.
void set_aside(std::string& text, std::uint32_t line) {
  std::size_t begin = 0;
  for (std::uint32_t at = 1; at < line && begin != std::string::npos; ++at) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
}

}  // namespace

ParsedText parse_toml(std::string_view raw) {
  ParsedText out;
  std::string rest(raw);
  while (true) {
    const toml::parse_result result = toml::parse(std::string_view(rest));
    if (result) {
      out.root = table_of(result.table());
      return out;
    }
    const Place place = place_of(result.error().source());
    const bool again = !out.mistakes.empty() && out.mistakes.back().place.line == place.line;
    if (again || out.mistakes.size() == kMostMistakes) {
      // The mistake is not where it shows: only the first is worth telling.
      out.mistakes.resize(1);
      return out;
    }
    // The library quotes the text as it is, control characters included.
    out.mistakes.push_back({place, text::shown(result.error().description()), "see https://toml.io for the notation"});
    set_aside(rest, place.line);
  }
}

}  // namespace pinfold::policy
