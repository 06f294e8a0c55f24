// json_schema.cc: a hostile schema and a hostile value, one line each.
// Invariant: the answer comes within bounds and is the same every time; a mismatch names its path; the negated schema
// has the opposite answer. Not here: the meaning of keywords (mcp/schema_test.cc).
#include "mcp/schema.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold::mcp;
  using pinfold::fuzz::promise;
  using Fit = SchemaResult::Fit;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const auto schema = read_json(text.substr(0, end));
  const auto value = read_json(text.substr(end + 1));
  if (!schema || !value) return 0;
  const SchemaResult verdict = check_schema(*schema, *value);
  promise(check_schema(*schema, *value).fit == verdict.fit, "the same answer every time");
  promise(verdict.fit != Fit::kNo || !verdict.problems.empty(), "a no says where");
  promise(verdict.fit != Fit::kNotJudged || !verdict.not_judged.empty(), "an unjudged value has a reason");
  // References start at the root, which would be another one.
  if (text.substr(0, end).find("Ref\"") != std::string_view::npos || text.find("$ref") != std::string_view::npos)
    return 0;
  const Fit reverse = check_schema(Json{{"not", *schema}}, *value).fit;
  const Fit expected = verdict.fit == Fit::kYes ? Fit::kNo : verdict.fit == Fit::kNo ? Fit::kYes : verdict.fit;
  // One level deeper may be one too many.
  promise(reverse == expected || reverse == Fit::kNotJudged, "the opposite schema has the opposite answer");
  return 0;
}
