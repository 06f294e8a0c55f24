// json_test.cc: bounds, duplicates, exact ids, canonical text.
#include "mcp/json.h"

#include <gtest/gtest.h>

namespace pinfold::mcp {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(McpJson, DepthIsBounded) {
  EXPECT_TRUE(read_json(nested(kDeepest)));
  const auto deep = read_json(nested(kDeepest + 1));
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().text().find("nested too deeply"), std::string::npos);
  EXPECT_FALSE(read_json(nested(1'000'000)));  // and the stack survives
}

TEST(McpJson, TheNumberOfValuesIsBounded) {
  std::string many = "[";
  for (std::size_t i = 0; i < kMostValues; ++i) many += "0,";
  EXPECT_FALSE(read_json(many + "0]"));
}

TEST(McpJson, RefusesDuplicateKeys) {
  EXPECT_FALSE(read_json(R"({"a":1,"b":2,"a":3})"));
  EXPECT_FALSE(read_json(R"({"x":{"a":1,"\u0061":3}})"));
  EXPECT_TRUE(read_json(R"({"a":{"a":1},"b":{"a":1}})"));
}

TEST(McpJson, RefusesInvalidJson) {
  for (const char* text : {"", "{", "hello", "{\"a\":\"\xff\"}", "{} {}", "[1,]", "1e999", "\"\xed\xa0\x80\""})
    EXPECT_FALSE(read_json(text)) << text;
}

TEST(McpJson, OrderIsKeptAndCanonicalTextDoesNotDependOnIt) {
  const Json a = *read_json(R"({"b":1.0,"a":[{"y":1,"x":"é\n"}],"c":0.5})");
  const Json b = *read_json(R"({"c":5e-1,"a":[{"x":"\u00e9\n","y":1}],"b":1})");
  EXPECT_EQ(write_json(a), R"({"b":1.0,"a":[{"y":1,"x":"é\n"}],"c":0.5})");
  EXPECT_EQ(canonical(a), R"({"a":[{"x":"é\n","y":1}],"b":1,"c":0.5})");
  EXPECT_EQ(canonical(a), canonical(b));
  EXPECT_EQ(canonical(*read_json(R"({"a":{},"b":[]})")), R"({"a":{},"b":[]})");
}

TEST(McpJson, DigitsOfALargeIdAreKept) {
  EXPECT_EQ(read_json_text(R"({"id":123456789012345678901234567890})")->id_digits, "123456789012345678901234567890");
  EXPECT_EQ(read_json_text(R"({"x":{"id":123456789012345678901234567890},"id":1})")->id_digits, "");
  EXPECT_EQ(read_json_text(R"({"id":1.5e40})")->id_digits, "");
}

}  // namespace
}  // namespace pinfold::mcp
