// tools.h: parses a server's list of tools and the results of calls.
// Invariant: a parsed tool has a name and an object as input schema; the number of pages and tools is bounded.
// Not here: sending (client.h), comparing a tool with its pin (pin.h).
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
  Json annotations = Json::object();  // the server's own hints: not trusted
  Json definition;                    // the whole definition, to be passed on
};

struct ToolList {
  std::vector<Tool> tools;
  std::vector<std::string> problems;  // the tools that were left out, and why

  const Tool* find(std::string_view name) const;
};

// Collects the pages of tools/list.
class ToolPages {
 public:
  explicit ToolPages(const Limits& limits) : limits_(limits) {}

  struct NextPage {
    std::string cursor;
  };
  struct LastPage {};
  using PageResult = std::variant<NextPage, LastPage, Failure>;
  PageResult add(const Json& result);
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
  Json whole;  // the whole answer, to be passed on
  std::vector<std::string> not_judged;
};
// A modern server needs more input: call again with its state and the answers.
struct InputRequired {
  Json requests = Json::object();
  std::string state;
  bool has_state = false;
};
using CallOutcome = std::variant<CallResult, InputRequired, Failure>;

// `tool` may be null: then the output schema is unknown.
CallOutcome read_call_result(const Tool* tool, Json result);
// None: they fit, or the schema cannot be checked.
std::optional<Failure> check_arguments(const Tool& tool, const Json& arguments);

}  // namespace pinfold::mcp
