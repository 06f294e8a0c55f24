// filter.cc: filters every string of a JSON value.
#include "mcp/filter.h"

#include <utility>

namespace pinfold::mcp {

Json Filter::json(OutputKind kind, Json value) {
  if (value.is_string()) return text(kind, value.get_ref<const std::string&>());
  if (value.is_array()) {
    for (Json& each : value) each = json(kind, std::move(each));
    return value;
  }
  auto* members = value.get_ptr<Json::object_t*>();
  if (members == nullptr) return value;
  Json out = Json::object();
  Json::object_t::Container& kept = *out.get_ptr<Json::object_t*>();
  for (auto& [key, inner] : *members) {
    std::string name = text(kind, key);
    if (name != key) name += "#" + std::to_string(kept.size());  // two redacted keys must stay two keys
    kept.emplace_back(std::move(name), json(kind, std::move(inner)));
  }
  return out;
}

}  // namespace pinfold::mcp
