// plugin_tools.cc: `pinfold plugin tools ID` and `pinfold plugin call ID TOOL [JSON]`.
// Invariant: all printed text is redacted and escaped; the exit code is 0 for a result, 1 for a result with isError,
// 126 if Pinfold refuses. Not here: starting and calling the plugin (plugin_client.h).
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plugin_calls.h"
#include "cli/plugin_client.h"
#include "cli/process_io.h"
#include "cli/run_journal.h"
#include "report/render.h"
#include "report/table.h"
#include "sys/call.h"

namespace pinfold::cli {

namespace {

using mcp::Json;
using report::Paint;
using text::shown;

std::string word_of(const mcp::PinChange* change) {
  if (change == nullptr) return "";
  return change->kind == mcp::PinChange::Kind::kNew ? "new" : "changed";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string tools_table(const PluginClient& client, report::TextFormat format) {
  std::vector<std::vector<report::Cell>> rows;
  for (const mcp::Tool& tool : client.tools()) {
    const std::string state = word_of(client.change_of(tool.name));
    rows.push_back({{shown(tool.name), Paint::kBold},
                    {state, state.empty() ? Paint::kNone : Paint::kBad},
                    {shown(first_line(tool.description))}});
  }
  return rows.empty() ? "it offers no tools\n" : report::table(rows, 0, format);
}

std::string warnings(const PluginClient& client, report::Colour colour) {
  std::string out;
  const auto head = [&](const std::string& text) { return report::paint(text, Paint::kWarn, colour) + "\n"; };
  for (const mcp::PinChange& change : client.changes()) {
    out +=
        head(change.tool.empty()
                 ? "its instructions changed since you allowed it:"
                 : fmt::format("{} {}: Pinfold does not call it until you allow the plugin again", shown(change.tool),
                               change.kind == mcp::PinChange::Kind::kNew ? "is new" : "changed since you allowed it"));
    for (const std::string& line : change.lines) out += "  " + report::visible(line) + "\n";
  }
  for (const mcp::Tool& tool : client.tools())
    for (const std::string& one : mcp::hidden_characters(tool))
      out += head(fmt::format("{} contains invisible characters: {}", shown(tool.name), report::visible(one)));
  return out;
}

Json tools_json(const PluginClient& client) {
  Json tools = Json::array();
  for (const mcp::Tool& tool : client.tools()) {
    Json one = tool.definition;
    const std::string state = word_of(client.change_of(tool.name));
    one["pinfold"] = {{"state", state.empty() ? "approved" : state},
                      {"hidden_characters", mcp::hidden_characters(tool)}};
    tools.push_back(std::move(one));
  }
  return tools;
}

Result<Json> arguments_of(const CommandLine& parsed) {
  if (parsed.words.size() < 3) return Json::object();
  std::string given = parsed.words[2];
  if (given == "-") {
    given.clear();
    char bytes[65536];
    while (true) {
      PF_TRY(got, sys::call("read", "standard input", [&] { return ::read(STDIN_FILENO, bytes, sizeof bytes); }));
      if (got == 0) break;
      given.append(bytes, static_cast<std::size_t>(got));
      if (given.size() > (std::size_t{10} << 20))
        return fail(ErrorKind::kInvalid, "the arguments are longer than 10 MiB", "give shorter arguments");
    }
  }
  PF_TRY(arguments, mcp::read_json(given), "the arguments");
  if (!arguments.is_object())
    return fail(ErrorKind::kInvalid, "the arguments are not a JSON object",
                R"(as in: pinfold plugin call ID TOOL '{"text": "hi"}')");
  return arguments;
}

// The result as text: text parts as they are, other parts by type and size.
std::string content_text(const mcp::CallResult& result) {
  std::string out;
  for (const Json& part : result.content) {
    const std::string kind = mcp::text_member(part, "type");
    out += kind == "text" ? report::visible_lines(mcp::text_member(part, "text"))
                          : fmt::format("[{}: {} bytes]", shown(kind), mcp::write_json(part).size());
    if (!out.ends_with('\n')) out += '\n';
  }
  return out;
}

}  // namespace

int plugin_tools(const CommandLine& parsed, Context& context) {
  auto id = required_id(parsed);
  if (!id) return complain(id.error(), context.host);
  auto client = PluginClient::open(parsed, *id, Restart::kOnce, context);
  if (!client) return complain(client.error(), context.host);
  if (has_flag(parsed, Id::kJson)) {
    print(STDOUT_FILENO, mcp::write_json(tools_json(**client)) + "\n");
    return 0;
  }
  print(STDOUT_FILENO, tools_table(**client, format_for(STDOUT_FILENO, context.host)));
  print(STDERR_FILENO, warnings(**client, colour_for(STDERR_FILENO, context.host)));
  return 0;
}

int plugin_call(const CommandLine& parsed, Context& context) {
  if (has_flag(parsed, Id::kCalls)) {
    auto id = required_id(parsed);
    if (!id) return complain(id.error(), context.host);
    auto client = PluginClient::open(parsed, *id, Restart::kAgain, context);
    return client ? plugin_calls(**client) : complain(client.error(), context.host);
  }
  if (parsed.words.size() < 2 || parsed.words.size() > 3)
    return complain(
        {ErrorKind::kInvalid, "`pinfold plugin call` needs a plugin and a tool, and takes arguments as JSON",
         R"(pinfold plugin call ID TOOL '{"text": "hi"}')"},
        context.host);
  auto arguments = arguments_of(parsed);
  if (!arguments) return complain(arguments.error(), context.host);
  auto client = PluginClient::open(parsed, parsed.words[0], Restart::kOnce, context);
  if (!client) return complain(client.error(), context.host);
  auto result = (*client)->call(parsed.words[1], std::move(*arguments));
  if (!result) return complain(result.error(), context.host);
  print(STDOUT_FILENO, has_flag(parsed, Id::kJson) ? mcp::write_json(result->whole) + "\n" : content_text(*result));
  return result->is_error ? 1 : 0;
}

}  // namespace pinfold::cli
