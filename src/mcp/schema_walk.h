// schema_walk.h: the recursion over a schema and a value, shared by schema.cc and schema_values.cc.
// Not here: the interface for other files (schema.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "mcp/schema.h"

namespace pinfold::mcp::schema {

using Fit = SchemaResult::Fit;

inline constexpr std::size_t kMostSteps = 2'000'000;
inline constexpr std::size_t kDeepestWalk = 128;

// "/a/0", as a linked list on the stack.
struct ValueLocation {
  const ValueLocation* parent = nullptr;
  std::string_view name;

  std::string shown() const {
    if (parent == nullptr) return "the value";
    return (parent->parent == nullptr ? "" : parent->shown()) + "/" + text::shown(utf8_head(name, 60));
  }
};

Fit both(Fit a, Fit b);
Fit opposite(Fit fit);

class Walk {
 public:
  explicit Walk(const Json& root) : root_(root) {}

  Fit check(const Json& schema, const Json& value, const ValueLocation& location);
  const std::vector<std::string>& problems() const { return problems_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Without recording problems: kNo does not decide the result there.
  Fit check_quietly(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_reference(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_combined(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_any(const Json& list, const Json& value, const ValueLocation& location);
  Fit check_one(const Json& list, const Json& value, const ValueLocation& location);
  const Json* resolve(std::string_view reference);

  Fit check_type(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_fixed(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_object(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_members(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_required(const Json& names, const Json& value, const ValueLocation& location);
  Fit check_array(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_contains(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_unique(const Json& value, const ValueLocation& location);
  Fit check_string(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_number(const Json& schema, const Json& value, const ValueLocation& location);
  Fit check_size(const Json& schema, const char* least, const char* most, std::size_t size, const char* what,
                 const ValueLocation& location);

  Fit no(const ValueLocation& location, const std::string& why);
  Fit unjudged(const std::string& what);
  bool spend(std::size_t steps);
  bool same(const Json& a, const Json& b);

  const Json& root_;
  std::size_t steps_left_ = kMostSteps;
  std::size_t depth_ = 0;
  std::size_t quiet_ = 0;
  std::vector<std::string> problems_;
  std::vector<std::string> notes_;
};

}  // namespace pinfold::mcp::schema
