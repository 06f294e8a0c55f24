// schema_values.cc: the JSON Schema keywords that apply to one type of value.
// Not here: references and combinations (schema.cc).
#include <algorithm>
#include <cmath>

#include "mcp/schema_walk.h"

namespace pinfold::mcp::schema {
namespace {

bool is_whole(const Json& value) {
  return value.is_number_integer() ||
         (value.is_number_float() && value.get<double>() == std::trunc(value.get<double>()));
}

bool has_type(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  return type == "integer" && is_whole(value);
}

bool is_type(std::string_view type) {
  for (const char* each : {"object", "array", "string", "boolean", "null", "number", "integer"})
    if (type == each) return true;
  return false;
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::size_t weight(const Json& value) {
  if (value.is_string()) return 1 + value.get_ref<const std::string&>().size() / 8;
  std::size_t out = 1;
  if (value.is_structured())
    for (const Json& each : value) out += weight(each);
  return out;
}

}  // namespace

bool Walk::same(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number() && !a.is_number_float() && !b.is_number_float()) return a == b;
  if (a.is_string() || b.is_string() || a.is_boolean() || a.is_null()) return a == b;
  return spend(weight(a) + weight(b)) && canonical(a) == canonical(b);
}

Fit Walk::check_type(const Json& schema, const Json& value, const ValueLocation& location) {
  const Json* type = member(schema, "type");
  if (type == nullptr) return Fit::kYes;
  const Json list = type->is_array() ? *type : Json::array({*type});
  std::string wanted;
  for (const Json& each : list) {
    if (!each.is_string() || !is_type(each.get<std::string>())) return unjudged("type");
    if (has_type(value, each.get<std::string>())) return Fit::kYes;
    wanted += (wanted.empty() ? "" : " or ") + each.get<std::string>();
  }
  return no(location, "is not of type " + wanted);
}

Fit Walk::check_fixed(const Json& schema, const Json& value, const ValueLocation& location) {
  if (const Json* fixed = member(schema, "const"); fixed != nullptr && !same(*fixed, value))
    return no(location, "is not the one value allowed");
  const Json* list = member(schema, "enum");
  if (list == nullptr) return Fit::kYes;
  if (!list->is_array()) return unjudged("enum");
  for (const Json& each : *list) {
    if (!spend(1)) return unjudged("enum");
    if (same(each, value)) return Fit::kYes;
  }
  return no(location, "is none of the values allowed");
}

Fit Walk::check_size(const Json& schema, const char* least, const char* most, std::size_t size, const char* what,
                     const ValueLocation& location) {
  const auto number = static_cast<double>(size);
  if (const Json* bound = member(schema, least);
      bound != nullptr && bound->is_number() && number < bound->get<double>())
    return no(location, std::string("has too few ") + what);
  if (const Json* bound = member(schema, most); bound != nullptr && bound->is_number() && number > bound->get<double>())
    return no(location, std::string("has too many ") + what);
  return Fit::kYes;
}

Fit Walk::check_required(const Json& names, const Json& value, const ValueLocation& location) {
  if (!names.is_array()) return unjudged("required");
  Fit fit = Fit::kYes;
  for (const Json& name : names) {
    if (!spend(1 + value.size() / 8)) return unjudged("required");
    if (!name.is_string()) return unjudged("required");
    if (member(value, name.get_ref<const std::string&>()) == nullptr)
      fit = no(location, "lacks " + text::shown(utf8_head(name.get_ref<const std::string&>(), 60)));
  }
  return fit;
}

Fit Walk::check_object(const Json& schema, const Json& value, const ValueLocation& location) {
  Fit fit = check_size(schema, "minProperties", "maxProperties", value.size(), "members", location);
  if (const Json* names = member(schema, "required")) fit = both(fit, check_required(*names, value, location));
  for (const char* keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
    const Json* dependents = member(schema, keyword);
    if (dependents == nullptr) continue;
    if (!dependents->is_object()) return both(fit, unjudged(keyword));
    for (const auto& [name, wanted] : dependents->items()) {
      if (!spend(1 + value.size() / 8)) return both(fit, unjudged(keyword));
      if (member(value, name) == nullptr) continue;
      fit = both(fit, wanted.is_array() ? check_required(wanted, value, location) : check(wanted, value, location));
    }
  }
  return both(fit, check_members(schema, value, location));
}

Fit Walk::check_members(const Json& schema, const Json& value, const ValueLocation& location) {
  Fit fit = Fit::kYes;
  const Json* known = member(schema, "properties");
  const Json* others = member(schema, "additionalProperties");
  const Json* patterns = member(schema, "patternProperties");
  const Json* names = member(schema, "propertyNames");
  const bool has_patterns = patterns != nullptr && patterns->is_object() && !patterns->empty();
  if (member(schema, "unevaluatedProperties") != nullptr) fit = unjudged("unevaluatedProperties");
  for (const auto& [name, inner] : value.items()) {
    if (!spend(1 + (known == nullptr ? 0 : known->size() / 8))) return both(fit, unjudged("properties"));
    const ValueLocation below{&location, name};
    if (names != nullptr) fit = both(fit, check(*names, Json(name), below));
    const Json* own = known == nullptr ? nullptr : member(*known, name);
    if (own != nullptr) fit = both(fit, check(*own, inner, below));
    if (has_patterns) fit = both(fit, unjudged("patternProperties"));
    if (own != nullptr || others == nullptr || has_patterns) continue;
    fit = both(fit, others->is_boolean() && !others->get<bool>() ? no(below, "is not a known member")
                                                                 : check(*others, inner, below));
  }
  return fit;
}

Fit Walk::check_array(const Json& schema, const Json& value, const ValueLocation& location) {
  Fit fit = check_size(schema, "minItems", "maxItems", value.size(), "items", location);
  if (member(schema, "unevaluatedItems") != nullptr) fit = both(fit, unjudged("unevaluatedItems"));
  const Json* first = member(schema, "prefixItems");
  const Json* rest = member(schema, "items");
  if (rest != nullptr && rest->is_array()) {  // the form of draft-07 and older
    first = rest;
    rest = member(schema, "additionalItems");
  }
  if (first != nullptr && !first->is_array()) return both(fit, unjudged("prefixItems"));
  const std::size_t ahead = first == nullptr ? 0 : first->size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!spend(1)) return both(fit, unjudged("items"));
    const Json* own = i < ahead ? &(*first)[i] : rest;
    if (own == nullptr) break;
    const std::string name = std::to_string(i);
    fit = both(fit, check(*own, value[i], ValueLocation{&location, name}));
  }
  fit = both(fit, check_contains(schema, value, location));
  const Json* unique = member(schema, "uniqueItems");
  if (unique != nullptr && unique->is_boolean() && unique->get<bool>()) fit = both(fit, check_unique(value, location));
  return fit;
}

Fit Walk::check_contains(const Json& schema, const Json& value, const ValueLocation& location) {
  const Json* wanted = member(schema, "contains");
  if (wanted == nullptr) return Fit::kYes;
  std::size_t yes = 0;
  for (const Json& each : value) {
    const Fit fit = check_quietly(*wanted, each, location);
    if (fit == Fit::kNotJudged) return fit;
    yes += fit == Fit::kYes ? 1 : 0;
  }
  if (yes == 0 && member(schema, "minContains") == nullptr)
    return no(location, "contains no item of the required form");
  return check_size(schema, "minContains", "maxContains", yes, "items of one kind", location);
}

Fit Walk::check_unique(const Json& value, const ValueLocation& location) {
  std::vector<std::string> seen;
  for (const Json& each : value) {
    if (!spend(weight(each))) return unjudged("uniqueItems");
    seen.push_back(canonical(each));
  }
  std::sort(seen.begin(), seen.end());
  return std::adjacent_find(seen.begin(), seen.end()) == seen.end() ? Fit::kYes : no(location, "has an item twice");
}

Fit Walk::check_string(const Json& schema, const Json& value, const ValueLocation& location) {
  Fit fit = Fit::kYes;
  if (member(schema, "minLength") != nullptr || member(schema, "maxLength") != nullptr) {
    const auto& text = value.get_ref<const std::string&>();
    if (!spend(1 + text.size() / 64)) return unjudged("maxLength");
    fit = check_size(schema, "minLength", "maxLength", characters(text), "characters", location);
  }
  return member(schema, "pattern") == nullptr ? fit : both(fit, unjudged("pattern"));
}

Fit Walk::check_number(const Json& schema, const Json& value, const ValueLocation& location) {
  const auto bound = [&](const char* keyword) {
    const Json* found = member(schema, keyword);
    return found != nullptr && found->is_number() ? found : nullptr;
  };
  if (const Json* least = bound("minimum"); least != nullptr && value < *least) return no(location, "is too small");
  if (const Json* most = bound("maximum"); most != nullptr && value > *most) return no(location, "is too large");
  if (const Json* above = bound("exclusiveMinimum"); above != nullptr && value <= *above)
    return no(location, "is too small");
  if (const Json* below = bound("exclusiveMaximum"); below != nullptr && value >= *below)
    return no(location, "is too large");
  const Json* step = bound("multipleOf");
  if (step == nullptr) return Fit::kYes;
  const double size = step->get<double>();
  if (!(size > 0)) return unjudged("multipleOf");
  const double times = value.get<double>() / size;
  // In binary floating point 0.3 is not an exact multiple of 0.1.
  const bool fits = std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
  return fits ? Fit::kYes : no(location, "is not a multiple of multipleOf");
}

}  // namespace pinfold::mcp::schema
