// schema_test.cc: the keywords, unsupported keywords, and the bounds.
#include "mcp/schema.h"

#include <gtest/gtest.h>

namespace pinfold::mcp {
namespace {

using Fit = SchemaResult::Fit;

SchemaResult judged(std::string_view schema, std::string_view value) {
  return check_schema(*read_json(schema), *read_json(value));
}

TEST(McpSchema, Keywords) {
  const struct {
    const char *schema, *yes, *no;
  } rows[] = {
      {R"({"type":"object"})", "{}", "[]"},
      {R"({"type":"integer"})", "3.0", "3.5"},
      {R"({"type":["string","null"]})", "null", "1"},
      {R"({"required":["a"]})", R"({"a":1})", R"({"b":1})"},
      {R"({"properties":{"a":{"type":"string"}}})", R"({"a":"x","b":1})", R"({"a":1})"},
      {R"({"properties":{"a":{}},"additionalProperties":false})", R"({"a":1})", R"({"b":1})"},
      {R"({"additionalProperties":{"type":"number"}})", R"({"a":1})", R"({"a":"x"})"},
      {R"({"propertyNames":{"maxLength":1}})", R"({"a":1})", R"({"ab":1})"},
      {R"({"minProperties":1,"maxProperties":2})", R"({"a":1})", "{}"},
      {R"({"dependentRequired":{"a":["b"]}})", R"({"b":1})", R"({"a":1})"},
      {R"({"items":{"type":"number"}})", "[1,2]", R"([1,"x"])"},
      {R"({"prefixItems":[{"type":"number"}],"items":false})", "[1]", "[1,2]"},
      {R"({"items":[{"type":"number"}],"additionalItems":false})", "[1]", "[1,2]"},
      {R"({"minItems":1,"maxItems":2})", "[1]", "[1,2,3]"},
      {R"({"uniqueItems":true})", R"([{"a":1,"b":2},{"b":2}])", R"([{"a":1,"b":2},{"b":2.0,"a":1}])"},
      {R"({"contains":{"const":2}})", "[1,2]", "[1]"},
      {R"({"contains":{"const":2},"minContains":2})", "[2,2]", "[2]"},
      {R"({"enum":[1,"a",{"x":1,"y":2}]})", R"({"y":2,"x":1})", R"({"x":1})"},
      {R"({"const":[1]})", "[1.0]", "[2]"},
      {R"({"minLength":2,"maxLength":2})", R"("éé")", R"("é")"},
      {R"({"minimum":1,"maximum":2})", "2", "2.5"},
      {R"({"exclusiveMinimum":1,"exclusiveMaximum":2})", "1.5", "1"},
      {R"({"multipleOf":0.1})", "0.3", "0.35"},
      {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "null", "1"},
      {R"({"oneOf":[{"type":"number"},{"type":"integer"}]})", "1.5", "1"},
      {R"({"allOf":[{"minimum":1},{"maximum":2}]})", "1", "3"},
      {R"({"not":{"type":"string"}})", "1", R"("x")"},
      {R"({"if":{"type":"string"},"then":{"minLength":1},"else":{"minimum":1}})", R"("x")", "0"},
      {R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}})", "1", R"("x")"},
      {R"({"$ref":"#/definitions/a~1b","definitions":{"a/b":{"type":"number"}}})", "1", R"("x")"},
      {R"({"type":"object","properties":{"next":{"$ref":"#"}}})", R"({"next":{"next":{}}})", R"({"next":{"next":1}})"},
      {"true", "1", nullptr},
      {"false", nullptr, "1"},
      {R"({"minimum":1})", R"("text has no size")", "0"},
      {R"({"format":"email"})", R"("no at sign")", nullptr},
  };
  for (const auto& row : rows) {
    if (row.yes != nullptr) {
      EXPECT_EQ(judged(row.schema, row.yes).fit, Fit::kYes) << row.schema << " " << row.yes;
    }
    if (row.no == nullptr) continue;
    const SchemaResult no = judged(row.schema, row.no);
    EXPECT_EQ(no.fit, Fit::kNo) << row.schema << " " << row.no;
    EXPECT_FALSE(no.problems.empty()) << row.schema;
  }
}

TEST(McpSchema, ReportsUnsupportedKeywordsAsNotJudged) {
  for (const char* schema : {R"({"pattern":"^(a+)+$"})", R"({"not":{"pattern":"a"}})", R"({"$ref":"https://x/y"})",
                             R"({"$ref":"other.json"})", R"({"$ref":"#anchor"})", R"({"$dynamicRef":"#x"})",
                             R"({"oneOf":[{"pattern":"a"},{"type":"null"}]})", R"({"type":"strnig"})"}) {
    const SchemaResult verdict = judged(schema, R"("aaaa")");
    EXPECT_EQ(verdict.fit, Fit::kNotJudged) << schema;
    EXPECT_FALSE(verdict.not_judged.empty()) << schema;
  }
  // The supported keywords are still checked.
  EXPECT_EQ(judged(R"({"pattern":"a","maxLength":1})", R"("aa")").fit, Fit::kNo);
  EXPECT_EQ(judged(R"({"anyOf":[{"pattern":"a"},{"type":"string"}]})", R"("x")").fit, Fit::kYes);
  EXPECT_EQ(judged(R"({"patternProperties":{"^x":{}},"additionalProperties":false})", R"({"y":1})").fit,
            Fit::kNotJudged);
}

TEST(McpSchema, ProblemsHaveAPath) {
  const SchemaResult verdict =
      judged(R"({"properties":{"a":{"items":{"type":"number"}}},"required":["b"]})", R"({"a":[1,"x\u202e"]})");
  EXPECT_EQ(verdict.story(), "the value: lacks b; /a/1: is not of type number");
}

TEST(McpSchema, WorkIsBounded) {
  // Each level refers to the next one twice: 2^100 steps without a bound.
  std::string defs;
  for (int i = 0; i < 100; ++i) {
    const std::string next = std::to_string(i + 1);
    defs += "\"d" + std::to_string(i) + "\":{\"allOf\":[{\"$ref\":\"#/$defs/d" + next + "\"},{\"$ref\":\"#/$defs/d" +
            next + "\"}]},";
  }
  const std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)" + defs + R"("d100":{}}})";
  EXPECT_EQ(judged(schema, "1").fit, Fit::kNotJudged);
  EXPECT_EQ(judged(R"({"$ref":"#"})", "1").fit, Fit::kNotJudged);
  EXPECT_EQ(judged(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})", "1").fit,
            Fit::kNotJudged);
}

TEST(McpSchema, BoundsManyMembersAgainstManyNames) {
  std::string names;
  std::string members;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "\"k" + std::to_string(i) + "\"";
    names += (i == 0 ? "" : ",") + name;
    members += (i == 0 ? "" : ",") + name + ":1";
  }
  // 400 million comparisons without a bound.
  EXPECT_EQ(judged("{\"required\":[" + names + "]}", "{" + members + "}").fit, Fit::kNotJudged);
}

}  // namespace
}  // namespace pinfold::mcp
