// schema.h: checks a value against a JSON Schema (2020-12, draft-07).
// Invariant: bounded work, bounded depth, no network, never throws. Unsupported keywords (`pattern`: untrusted regular
// expressions are not run; references to other documents) give kNotJudged, and are listed.
// Not here: fetching schemas, `format` (which the standard defines as an annotation).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mcp/json.h"

namespace pinfold::mcp {

struct SchemaResult {
  enum class Fit { kYes, kNo, kNotJudged };
  Fit fit = Fit::kYes;
  std::vector<std::string> problems;    // for kNo: "/a/0: is not of type number"; the first few
  std::vector<std::string> not_judged;  // keywords and references, each once; may be non-empty for any fit

  // One line for the error message.
  std::string story() const;
};

SchemaResult check_schema(const Json& schema, const Json& value);

}  // namespace pinfold::mcp
