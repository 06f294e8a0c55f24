// pin_test.cc: changes that change a pin, changes that do not, and damaged pins.
#include "mcp/pin.h"

#include <gtest/gtest.h>

namespace pinfold::mcp {
namespace {

Tool tool(std::string_view definition) {
  ToolPages pages{Limits{}};
  pages.add({{"tools", Json::array({*read_json(definition)})}});
  ToolList list = pages.take();
  EXPECT_EQ(list.tools.size(), 1U) << definition;
  return list.tools.empty() ? Tool{} : list.tools[0];
}

constexpr const char* kPlain =
    R"({"name":"a","description":"reads","inputSchema":{"type":"object","properties":{"x":{},"y":{}}}})";

TEST(McpPin, OfAKnownText) {
  // printf '%s' TEXT | sha256sum
  const Pin pin = pin_of("id1", tool(R"({"name":"a","inputSchema":{}})"));
  EXPECT_EQ(pin.text, R"({"annotations":{},"description":"","inputSchema":{},"installId":"id1","name":"a",)"
                      R"("outputSchema":null,"title":""})");
  EXPECT_EQ(pin.hash, "sha256/v1:007926eb9a78b74ed89ea1ea0779ec0714aca404709d4ab5560ddf7c2339f95e");
}

TEST(McpPin, OrderAndUnpinnedTextsDoNotChangeIt) {
  const Pin pin = pin_of("id1", tool(kPlain));
  EXPECT_EQ(pin, pin_of("id1", tool(R"({"_meta":{"x":1},"inputSchema":{"properties":{"y":{},"x":{}},"type":"object"},)"
                                    R"("description":"reads","name":"a"})")));
}

TEST(McpPin, EveryTextForTheModelChangesIt) {
  const Pin pin = pin_of("id1", tool(kPlain));
  EXPECT_NE(pin, pin_of("id2", tool(kPlain)));
  for (const auto& [key, value] : {std::pair<const char*, Json>{"title", "t"},
                                   {"description", "reads "},
                                   {"inputSchema", {{"type", "object"}}},
                                   {"outputSchema", Json::object()},
                                   {"annotations", {{"readOnlyHint", true}}}}) {
    Json other = *read_json(kPlain);
    other[key] = value;
    EXPECT_NE(pin, pin_of("id1", tool(write_json(other)))) << key;
  }
}

TEST(McpPin, ChangesAreShown) {
  const Tool before = tool(kPlain);
  Tool after = before;
  after.description = "reads\u200b and sends \u202eaway";
  Tool extra = before;
  extra.name = "b";
  const Pins approved = pins_of("id1", {before}, "Be kind.");
  EXPECT_TRUE(compare_pins(approved, approved).empty());
  const auto changes = compare_pins(approved, pins_of("id1", {after, extra}, "Be cruel."));
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].tool, "");
  EXPECT_EQ(changes[1].tool, "a");
  EXPECT_EQ(changes[1].kind, PinChange::Kind::kChanged);
  std::string lines;
  for (const std::string& each : changes[1].lines) lines += each + "\n";
  EXPECT_NE(lines.find("-   \"description\": \"reads\""), std::string::npos) << lines;
  EXPECT_NE(lines.find("+   \"description\": \"reads\\u{200b} and sends \\u{202e}away\""), std::string::npos) << lines;
  EXPECT_EQ(changes[2].kind, PinChange::Kind::kNew);
  const auto gone = compare_pins(approved, pins_of("id1", {}, "Be kind."));
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].kind, PinChange::Kind::kGone);
}

TEST(McpPin, WrittenAndReadOrRefused) {
  const Pins pins = pins_of("id1", {tool(kPlain)}, "x\ny");
  const std::string text = write_pins(pins);
  const auto again = read_pins(text);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, pins);
  for (std::size_t cut = 0; cut + 2 < text.size(); ++cut) EXPECT_FALSE(read_pins(text.substr(0, cut))) << cut;
  std::string other = text;
  other.replace(other.find("reads"), 5, "rEads");
  EXPECT_FALSE(read_pins(other));
  EXPECT_FALSE(read_pins("{}"));
  EXPECT_FALSE(read_pins(R"({"version":2,"instructions":{},"tools":[]})"));
}

TEST(McpPin, HiddenCharactersAreFound) {
  EXPECT_TRUE(hidden_characters(tool(kPlain)).empty());
  Tool odd = tool(kPlain);
  odd.description = "two\nlines\tare fine, \xF0\x9F\x98\x80 too";
  EXPECT_TRUE(hidden_characters(odd).empty());
  odd.name = "a\u200b";
  odd.description = "x\U000E0041y";
  odd.input_schema["properties"]["k\u202e"] = {{"description", "\u2066"}};
  const auto found = hidden_characters(odd);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], "name: a\\u{200b}");
  EXPECT_EQ(found[1], "description: x\\u{e0041}y");
  EXPECT_EQ(found[2], "a key of inputSchema: k\\u{202e}");
  EXPECT_EQ(found[3], "inputSchema: \\u{2066}");
}

}  // namespace
}  // namespace pinfold::mcp
