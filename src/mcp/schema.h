// schema.h: does a value fit a JSON Schema (2020-12, draft-07)?
// Invariant: bounded work, bounded depth, no network, never throws. What cannot be judged (patterns: no regular
// expressions of somebody else's are run here; references that lead out) is neither a yes nor a no, and is said.
// Not here: fetching schemas, formats (which are only notes in the standard, too).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mcp/json.h"

namespace pinfold::mcp {

struct SchemaVerdict {
  enum class Fit { kYes, kNo, kNotJudged };
  Fit fit = Fit::kYes;
  std::vector<std::string> problems;    // when no: "/a/0: is no number"; the first few
  std::vector<std::string> not_judged;  // keywords and references, each once; also beside a yes or a no

  // In one line, for whoever made the value.
  std::string story() const;
};

SchemaVerdict check_schema(const Json& schema, const Json& value);

}  // namespace pinfold::mcp
