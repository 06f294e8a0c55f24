// tools_test.cc: endless pages, invalid tools, results that do not fit their schema.
#include "mcp/tools.h"

#include <gtest/gtest.h>

namespace pinfold::mcp {
namespace {

Json page(const std::vector<std::string>& names, const char* next) {
  Json out = {{"tools", Json::array()}};
  for (const std::string& name : names) out["tools"].push_back({{"name", name}, {"inputSchema", Json::object()}});
  if (next != nullptr) out["nextCursor"] = next;
  return out;
}

bool goes_on(const ToolPages::PageResult& step) { return std::holds_alternative<ToolPages::NextPage>(step); }
std::string failure(const ToolPages::PageResult& step) {
  const auto* found = std::get_if<Failure>(&step);
  return found == nullptr ? "" : found->story;
}

TEST(McpTools, Pages) {
  ToolPages pages{Limits{}};
  EXPECT_EQ(std::get<ToolPages::NextPage>(pages.add(page({"a"}, "p2"))).cursor, "p2");
  EXPECT_TRUE(
      std::holds_alternative<ToolPages::LastPage>(pages.add(page({"b", "a", std::string(200, 'n'), ""}, nullptr))));
  const ToolList list = pages.take();
  EXPECT_EQ(list.tools.size(), 2U);
  EXPECT_EQ(list.problems.size(), 3U);
  EXPECT_NE(list.find("b"), nullptr);
  EXPECT_EQ(list.find("c"), nullptr);
}

TEST(McpTools, CyclicPages) {
  ToolPages pages{Limits{}};
  EXPECT_TRUE(goes_on(pages.add(page({"a"}, "p2"))));
  EXPECT_TRUE(goes_on(pages.add(page({"b"}, "p3"))));
  EXPECT_NE(failure(pages.add(page({"c"}, "p2"))).find("repeats a page cursor"), std::string::npos);
}

TEST(McpTools, EndlessPagesAndTools) {
  Limits limits;
  limits.most_pages = 3;
  limits.most_tools = 5;
  ToolPages endless(limits);
  EXPECT_TRUE(goes_on(endless.add(page({}, "1"))));
  EXPECT_TRUE(goes_on(endless.add(page({}, "2"))));
  EXPECT_FALSE(failure(endless.add(page({}, "3"))).empty());
  ToolPages many(limits);
  EXPECT_FALSE(failure(many.add(page({"1", "2", "3", "4", "5", "6"}, nullptr))).empty());
}

TEST(McpTools, NoPages) {
  for (const char* text : {R"({})", R"({"tools":{}})", R"({"tools":[],"nextCursor":5})"})
    EXPECT_FALSE(failure(ToolPages{Limits{}}.add(*read_json(text))).empty()) << text;
  ToolPages pages{Limits{}};
  pages.add(*read_json(R"({"tools":[1,null,{"name":"x"},{"name":5,"inputSchema":{}},{"name":"y","inputSchema":[]}]})"));
  EXPECT_EQ(pages.take().problems.size(), 5U);
}

CallOutcome result(const char* output_schema, const char* text) {
  Tool tool;
  tool.name = "t";
  if (output_schema != nullptr) tool.output_schema = *read_json(output_schema);
  return read_call_result(&tool, *read_json(text));
}

TEST(McpTools, Results) {
  const CallOutcome plain = result(nullptr, R"({"content":[{"type":"text","text":"x"}],"isError":true,"extra":1})");
  EXPECT_TRUE(std::get<CallResult>(plain).is_error);
  EXPECT_EQ(std::get<CallResult>(plain).whole["extra"], 1);
  const char* schema = R"({"type":"object","required":["n"],"properties":{"n":{"type":"number"},"p":{"pattern":"x"}}})";
  EXPECT_TRUE(std::holds_alternative<CallResult>(result(schema, R"({"content":[],"structuredContent":{"n":1}})")));
  const CallOutcome wrong = result(schema, R"({"content":[],"structuredContent":{"n":"x"}})");
  EXPECT_NE(std::get<Failure>(wrong).story.find("/n: is not of type number"), std::string::npos);
  EXPECT_TRUE(std::holds_alternative<Failure>(result(schema, R"({"content":[]})")));
  EXPECT_TRUE(std::holds_alternative<CallResult>(result(schema, R"({"content":[],"isError":true})")));
  const CallOutcome open = result(schema, R"({"content":[],"structuredContent":{"n":1,"p":"y"}})");
  EXPECT_EQ(std::get<CallResult>(open).not_judged, std::vector<std::string>{"pattern"});
  EXPECT_TRUE(std::holds_alternative<Failure>(result(nullptr, R"({"content":"x"})")));
  EXPECT_TRUE(std::holds_alternative<Failure>(result(nullptr, R"({"resultType":"task","content":[]})")));
}

TEST(McpTools, InputRequired) {
  const CallOutcome asks =
      result("{}", R"({"resultType":"input_required","inputRequests":{"a":{}},"requestState":"s"})");
  EXPECT_EQ(std::get<InputRequired>(asks).state, "s");
  EXPECT_TRUE(std::get<InputRequired>(asks).requests.contains("a"));
  EXPECT_TRUE(std::holds_alternative<Failure>(result(nullptr, R"({"resultType":"input_required"})")));
}

TEST(McpTools, ArgumentsAreChecked) {
  Tool tool;
  tool.name = "t";
  tool.input_schema = *read_json(R"({"type":"object","required":["path"]})");
  EXPECT_FALSE(check_arguments(tool, {{"path", "x"}}));
  EXPECT_EQ(check_arguments(tool, Json::object())->story,
            "the arguments do not fit the input schema of 't': the value: lacks path");
}

}  // namespace
}  // namespace pinfold::mcp
