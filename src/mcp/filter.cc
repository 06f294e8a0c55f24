// filter.cc: every text of a value.
#include "mcp/filter.h"

#include <utility>

namespace pinfold::mcp {

Json Filter::json(Speech speech, Json value) {
  if (value.is_string()) return text(speech, value.get_ref<const std::string&>());
  if (value.is_array()) {
    for (Json& each : value) each = json(speech, std::move(each));
    return value;
  }
  auto* members = value.get_ptr<Json::object_t*>();
  if (members == nullptr) return value;
  Json out = Json::object();
  Json::object_t::Container& kept = *out.get_ptr<Json::object_t*>();
  for (auto& [key, inner] : *members) {
    std::string name = text(speech, key);
    if (name != key) name += "#" + std::to_string(kept.size());  // two that were changed may not become one
    kept.emplace_back(std::move(name), json(speech, std::move(inner)));
  }
  return out;
}

}  // namespace pinfold::mcp
