// json_tree_test.cc: lines and columns, duplicate keys, bounds.
#include "plugin/json_tree.h"

#include <gtest/gtest.h>

#include "base/property.h"

namespace pinfold::plugin {
namespace {

using policy::List;
using policy::Table;

TEST(JsonTree, EveryValueHasAPosition) {
  const auto parsed = read_json("{\n  \"a\": [1, \"ü\", true],\n  \"b\" : { \"c\": -5 }\n}");
  ASSERT_TRUE(parsed.mistakes.empty());
  ASSERT_EQ(parsed.root.size(), 2u);
  EXPECT_EQ(parsed.root[0].location.line, 2u);
  EXPECT_EQ(parsed.root[0].location.column, 3u);
  const List& list = std::get<List>(parsed.root[0].node.value);
  EXPECT_EQ(parsed.root[0].node.location.column, 8u);
  EXPECT_EQ(list[0].location.column, 9u);
  EXPECT_EQ(list[1].location.column, 12u);
  EXPECT_EQ(list[2].location.column, 17u);
  const Table& inner = std::get<Table>(parsed.root[1].node.value);
  EXPECT_EQ(inner[0].location.line, 3u);
  EXPECT_EQ(inner[0].location.column, 11u);
  EXPECT_EQ(inner[0].node.location.column, 16u);
  EXPECT_EQ(std::get<std::int64_t>(inner[0].node.value), -5);
}

TEST(JsonTree, ErrorsHaveAPosition) {
  const auto broken = read_json("{\n  \"a\": 1,\n}");
  ASSERT_EQ(broken.mistakes.size(), 1u);
  EXPECT_EQ(broken.mistakes[0].location.line, 3u);
  EXPECT_TRUE(broken.root.empty());
  const auto twice = read_json("{\"a\": 1, \"a\": 2}");
  ASSERT_EQ(twice.mistakes.size(), 1u);
  EXPECT_EQ(twice.mistakes[0].location.column, 10u);
  EXPECT_NE(twice.mistakes[0].what.find("set twice"), std::string::npos);
  EXPECT_EQ(read_json("[1]").mistakes[0].what, "this is a list, not an object");
  EXPECT_EQ(read_json("").mistakes.size(), 1u);
  EXPECT_EQ(read_json("{} x").mistakes.size(), 1u);
  EXPECT_EQ(read_json("{\"a\": \"\xff\"}").mistakes.size(), 1u);
}

TEST(JsonTree, Bounds) {
  EXPECT_EQ(read_json(std::string(100'000, '[')).mistakes.size(), 1u);
  std::string deep = "{\"a\":";
  for (int i = 0; i < 15; ++i) deep += '[';
  std::string shallow = deep;
  shallow.append(15, ']');
  EXPECT_TRUE(read_json(shallow + "}").mistakes.empty());
  EXPECT_NE(read_json(deep + "[").mistakes.at(0).what.find("nested"), std::string::npos);
  std::string many = "{\"a\":[0";
  for (int i = 0; i < 200'000; ++i) many += ",0";
  EXPECT_NE(read_json(many + "]}").mistakes.at(0).what.find("too much"), std::string::npos);
  const auto numbers = read_json("{\"a\": 1.5, \"b\": 99999999999999999999, \"c\": 18446744073709551615, \"d\": null}");
  for (const auto& member : numbers.root) EXPECT_TRUE(std::holds_alternative<policy::Other>(member.node.value));
}

TEST(JsonTree, AnyText) {
  EXPECT_EQ(holds("read_json never fails otherwise than in words", 2000,
                  [](const std::string& text) {
                    const auto parsed = read_json(text);
                    RC_ASSERT(parsed.root.empty() || parsed.mistakes.empty() ||
                              parsed.mistakes[0].what.find("twice") != std::string::npos);
                  }),
            "");
}

}  // namespace
}  // namespace pinfold::plugin
