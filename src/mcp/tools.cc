// tools.cc: reads tools/list and the results of tools/call.
#include "mcp/tools.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "mcp/schema.h"

namespace pinfold::mcp {
namespace {

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kLongestCursor = 4096;
constexpr std::size_t kMostProblems = 20;

Failure wrong(std::string story) { return {Failure::Kind::kWrong, std::move(story), {}}; }

std::string in_quotes(std::string_view name) { return "'" + text::shown(utf8_head(name, 60)) + "'"; }

}  // namespace

const Tool* ToolList::find(std::string_view name) const {
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const Tool& each) { return each.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

ToolPages::PageResult ToolPages::add(const Json& result) {
  const Json* tools = member(result, "tools");
  if (tools == nullptr || !tools->is_array()) return wrong("the answer to tools/list has no list of tools");
  for (const Json& each : *tools) {
    if (list_.tools.size() >= limits_.most_tools) return wrong("the server lists too many tools");
    add_tool(each);
  }
  const Json* cursor = member(result, "nextCursor");
  if (cursor == nullptr || cursor->is_null()) return LastPage{};
  if (!cursor->is_string() || cursor->get_ref<const std::string&>().size() > kLongestCursor)
    return wrong("the server's nextCursor is not a string, or is too long");
  if (++pages_ >= limits_.most_pages) return wrong("the server's list of tools has too many pages");
  if (!cursors_.insert(cursor->get<std::string>()).second)
    return wrong("the server's list of tools repeats a page cursor");
  return NextPage{cursor->get<std::string>()};
}

void ToolPages::leave_out(const std::string& why) {
  if (list_.problems.size() < kMostProblems) list_.problems.push_back(why);
}

void ToolPages::add_tool(const Json& definition) {
  Tool tool;
  tool.name = text_member(definition, "name");
  if (tool.name.empty() || tool.name.size() > kLongestName) return leave_out("a tool whose name is empty or too long");
  const Json* input = member(definition, "inputSchema");
  if (input == nullptr || !input->is_object()) return leave_out(in_quotes(tool.name) + " has no input schema");
  if (!names_.insert(tool.name).second)
    return leave_out(in_quotes(tool.name) + " is listed twice; the first one counts");
  tool.title = text_member(definition, "title");
  tool.description = text_member(definition, "description");
  tool.input_schema = *input;
  if (const Json* output = member(definition, "outputSchema"); output != nullptr && output->is_object())
    tool.output_schema = *output;
  if (const Json* annotations = member(definition, "annotations"); annotations != nullptr && annotations->is_object())
    tool.annotations = *annotations;
  tool.definition = definition;
  list_.tools.push_back(std::move(tool));
}

CallOutcome read_call_result(const Tool* tool, Json result) {
  if (const std::string type = text_member(result, "resultType"); type == "input_required") {
    InputRequired out;
    if (const Json* requests = member(result, "inputRequests"); requests != nullptr && requests->is_object())
      out.requests = *requests;
    const Json* state = member(result, "requestState");
    out.has_state = state != nullptr && state->is_string();
    if (out.has_state) out.state = state->get<std::string>();
    if (out.requests.empty() && !out.has_state) return wrong("the server requires input but names no request");
    return out;
  } else if (!type.empty() && type != "complete") {
    return wrong("the server answered with a result of an unknown type: " + in_quotes(type));
  }
  CallResult out;
  if (const Json* content = member(result, "content")) out.content = *content;
  if (!out.content.is_array()) return wrong("the content of the result is not a list");
  const Json* error = member(result, "isError");
  out.is_error = error != nullptr && error->is_boolean() && error->get<bool>();
  if (const Json* structured = member(result, "structuredContent")) out.structured = *structured;
  if (tool != nullptr && !tool->output_schema.is_null() && !out.is_error) {
    if (out.structured.is_null())
      return wrong("the tool has an output schema, but its result has no structured content");
    SchemaResult checked = check_schema(tool->output_schema, out.structured);
    if (checked.fit == SchemaResult::Fit::kNo)
      return wrong("the structured content does not fit the tool's output schema: " + checked.story());
    out.not_judged = std::move(checked.not_judged);
  }
  out.whole = std::move(result);
  return out;
}

std::optional<Failure> check_arguments(const Tool& tool, const Json& arguments) {
  const SchemaResult checked = check_schema(tool.input_schema, arguments);
  if (checked.fit != SchemaResult::Fit::kNo) return std::nullopt;
  return Failure{Failure::Kind::kRefused,
                 "the arguments do not fit the input schema of " + in_quotes(tool.name) + ": " + checked.story(),
                 {}};
}

}  // namespace pinfold::mcp
