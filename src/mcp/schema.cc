// schema.cc: walks schema and value together, in three-valued logic.
// Invariant: each step is counted; after kMostSteps every further check gives kNotJudged.
// Not here: the keywords for one kind of value (schema_values.cc).
#include "mcp/schema.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/utf8.h"
#include "mcp/schema_walk.h"

namespace pinfold::mcp {
namespace schema {
namespace {

constexpr std::size_t kMostProblems = 8;
constexpr std::size_t kMostNotes = 16;

}  // namespace

Fit both(Fit a, Fit b) {
  if (a == Fit::kNo || b == Fit::kNo) return Fit::kNo;
  return a == Fit::kYes ? b : a;
}

Fit opposite(Fit fit) { return fit == Fit::kYes ? Fit::kNo : fit == Fit::kNo ? Fit::kYes : fit; }

Fit Walk::no(const ValueLocation& location, const std::string& why) {
  if (quiet_ == 0 && problems_.size() < kMostProblems) problems_.push_back(location.shown() + ": " + why);
  return Fit::kNo;
}

Fit Walk::unjudged(const std::string& what) {
  if (notes_.size() < kMostNotes && std::find(notes_.begin(), notes_.end(), what) == notes_.end())
    notes_.push_back(what);
  return Fit::kNotJudged;
}

bool Walk::spend(std::size_t steps) {
  steps_left_ = steps_left_ > steps ? steps_left_ - steps : 0;
  return steps_left_ > 0;
}

Fit Walk::check_quietly(const Json& schema, const Json& value, const ValueLocation& location) {
  ++quiet_;
  const Fit fit = check(schema, value, location);
  --quiet_;
  return fit;
}

Fit Walk::check(const Json& schema, const Json& value, const ValueLocation& location) {
  if (!spend(1)) return unjudged("all of it: the schema asks for too much work");
  if (depth_ >= kDeepestWalk) return unjudged("all of it: the schema is nested too deeply");
  if (schema.is_boolean()) return schema.get<bool>() ? Fit::kYes : no(location, "no value is allowed here");
  if (!schema.is_object()) return unjudged("a schema that is not an object");
  if (!spend(schema.size())) return unjudged("all of it: the schema asks for too much work");
  ++depth_;
  Fit fit = check_reference(schema, value, location);
  fit = both(fit, check_type(schema, value, location));
  fit = both(fit, check_fixed(schema, value, location));
  fit = both(fit, check_combined(schema, value, location));
  if (value.is_object()) fit = both(fit, check_object(schema, value, location));
  if (value.is_array()) fit = both(fit, check_array(schema, value, location));
  if (value.is_string()) fit = both(fit, check_string(schema, value, location));
  if (value.is_number()) fit = both(fit, check_number(schema, value, location));
  --depth_;
  return fit;
}

Fit Walk::check_reference(const Json& schema, const Json& value, const ValueLocation& location) {
  Fit fit = Fit::kYes;
  for (const char* dynamic : {"$dynamicRef", "$recursiveRef"})
    if (member(schema, dynamic) != nullptr) fit = unjudged(dynamic);
  const Json* reference = member(schema, "$ref");
  if (reference == nullptr) return fit;
  const Json* target = reference->is_string() ? resolve(reference->get<std::string>()) : nullptr;
  if (target == nullptr) return unjudged("a $ref to nothing in this schema");
  return both(fit, check(*target, value, location));
}

// "#/$defs/a~1b": a JSON pointer from the root. Anchors and other documents are not followed.
const Json* Walk::resolve(std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  reference.remove_prefix(1);
  const Json* at = &root_;
  while (!reference.empty()) {
    if (!reference.starts_with('/') || !spend(1)) return nullptr;
    reference.remove_prefix(1);
    std::string part(reference.substr(0, reference.find('/')));
    reference.remove_prefix(part.size());
    for (const auto& [escape, letter] : {std::pair<std::string_view, const char*>{"~1", "/"}, {"~0", "~"}})
      for (std::size_t found = 0; (found = part.find(escape, found)) != std::string::npos; ++found)
        part.replace(found, escape.size(), letter);
    if (at->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
      if (error != std::errc() || end != part.data() + part.size() || index >= at->size()) return nullptr;
      at = &(*at)[index];
    } else {
      spend(at->size());
      at = member(*at, part);
      if (at == nullptr) return nullptr;
    }
  }
  return at;
}

Fit Walk::check_combined(const Json& schema, const Json& value, const ValueLocation& location) {
  Fit fit = Fit::kYes;
  const auto each = [&](const char* keyword, auto&& body) {
    const Json* list = member(schema, keyword);
    if (list == nullptr) return;
    if (!list->is_array() || list->empty())
      fit = both(fit, unjudged(keyword));
    else
      body(*list);
  };
  each("allOf", [&](const Json& list) {
    for (const Json& one : list) fit = both(fit, check(one, value, location));
  });
  each("anyOf", [&](const Json& list) { fit = both(fit, check_any(list, value, location)); });
  each("oneOf", [&](const Json& list) { fit = both(fit, check_one(list, value, location)); });
  if (const Json* inner = member(schema, "not")) {
    const Fit reverse = opposite(check_quietly(*inner, value, location));
    fit = both(fit, reverse == Fit::kNo ? no(location, "fits a form that is not allowed") : reverse);
  }
  if (const Json* condition = member(schema, "if")) {
    const Json* then = member(schema, "then");
    const Json* otherwise = member(schema, "else");
    const Fit holds = check_quietly(*condition, value, location);
    const Json* branch = holds == Fit::kYes ? then : otherwise;
    if (holds == Fit::kNotJudged && (then != nullptr || otherwise != nullptr))
      fit = both(fit, Fit::kNotJudged);
    else if (branch != nullptr)
      fit = both(fit, check(*branch, value, location));
  }
  return fit;
}

Fit Walk::check_any(const Json& list, const Json& value, const ValueLocation& location) {
  Fit best = Fit::kNo;
  for (const Json& one : list) {
    const Fit fit = check_quietly(one, value, location);
    if (fit == Fit::kYes) return fit;
    if (fit == Fit::kNotJudged) best = fit;
  }
  return best == Fit::kNo ? no(location, "fits none of the allowed forms") : best;
}

Fit Walk::check_one(const Json& list, const Json& value, const ValueLocation& location) {
  std::size_t yes = 0;
  std::size_t open = 0;
  for (const Json& one : list) {
    const Fit fit = check_quietly(one, value, location);
    yes += fit == Fit::kYes ? 1 : 0;
    open += fit == Fit::kNotJudged ? 1 : 0;
  }
  if (yes > 1) return no(location, "fits several forms of which only one is allowed");
  if (yes == 0 && open == 0) return no(location, "fits none of the allowed forms");
  return open > 0 ? Fit::kNotJudged : Fit::kYes;
}

}  // namespace schema

std::string SchemaResult::story() const {
  std::string out;
  for (const std::string& each : fit == Fit::kNo ? problems : not_judged) out += (out.empty() ? "" : "; ") + each;
  if (fit == Fit::kNotJudged) out = "not judged: " + out;
  return fit == Fit::kYes ? "fits" : out;
}

SchemaResult check_schema(const Json& schema, const Json& value) {
  schema::Walk walk(schema);
  SchemaResult out;
  out.fit = walk.check(schema, value, schema::ValueLocation{});
  out.problems = walk.problems();
  out.not_judged = walk.notes();
  return out;
}

}  // namespace pinfold::mcp
