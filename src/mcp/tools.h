// tools.h: what a server offers, and what a call gives.
// Invariant: a tool that was read has a name and an object as input schema; the list ends, whatever the server says.
// Not here: sending (client.h), whether a tool is still what was approved (pin.h).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "mcp/failure.h"
#include "mcp/limits.h"
#include "mcp/pending.h"

namespace pinfold::mcp {

struct Tool {
  std::string name, title, description;
  Json input_schema = Json::object();
  Json output_schema;                 // null: none
  Json annotations = Json::object();  // hints of the server about itself: nothing to rely on
  Json definition;                    // all that it said, to be handed on
};

struct ToolList {
  std::vector<Tool> tools;
  std::vector<std::string> problems;  // what was left out, and why

  const Tool* find(std::string_view name) const;
};

// Gathers the pages of tools/list.
class ToolPages {
 public:
  explicit ToolPages(const Limits& limits) : limits_(limits) {}

  struct Next {
    std::string cursor;
  };
  struct Done {};
  using Step = std::variant<Next, Done, Failure>;
  Step add(const Json& result);
  ToolList take() { return std::move(list_); }

 private:
  void add_tool(const Json& definition);
  void leave_out(const std::string& why);

  Limits limits_;
  ToolList list_;
  std::set<std::string, std::less<>> names_, cursors_;
  std::size_t pages_ = 0;
};

struct CallResult {
  Json content = Json::array();
  Json structured;  // null: none
  bool is_error = false;
  Json whole;  // all that the server answered, to be handed on
  std::vector<std::string> not_judged;
};
// A modern server wants to know something first: call again with its state and the answers.
struct InputRequired {
  Json requests = Json::object();
  std::string state;
  bool has_state = false;
};
using CallOutcome = std::variant<CallResult, InputRequired, Failure>;

// `tool` may be null: then nothing is known of what it promised.
CallOutcome read_call_result(const Tool* tool, Json result);
// None: they fit, or it cannot be judged.
std::optional<Failure> check_arguments(const Tool& tool, const Json& arguments);

}  // namespace pinfold::mcp
