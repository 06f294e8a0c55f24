// plugin_tools.cc: `pinfold plugin tools ID` and `pinfold plugin call ID TOOL [JSON]`.
// Invariant: what is printed went through redaction and is safe to show; the exit code is 0 for a result, 1 for one
// that the tool calls an error, 126 for what was refused. Not here: starting and speaking (plugin_client.h).
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plugin_calls.h"
#include "cli/plugin_client.h"
#include "cli/run_journal.h"
#include "cli/process_io.h"
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

std::string tools_table(const PluginTalk& talk, report::Paper paper) {
  std::vector<std::vector<report::Cell>> rows;
  for (const mcp::Tool& tool : talk.tools()) {
    const std::string state = word_of(talk.change_of(tool.name));
    rows.push_back({{shown(tool.name), Paint::kBold},
                    {state, state.empty() ? Paint::kNone : Paint::kBad},
                    {shown(first_line(tool.description))}});
  }
  return rows.empty() ? "it offers no tools\n" : report::table(rows, 0, paper);
}

std::string warnings(const PluginTalk& talk, report::Colour colour) {
  std::string out;
  const auto head = [&](const std::string& text) { return report::paint(text, Paint::kWarn, colour) + "\n"; };
  for (const mcp::PinChange& change : talk.changes()) {
    out += head(change.tool.empty()
                    ? "its instructions are not what they were when you allowed it:"
                    : fmt::format("{} is {}: it is not called until you allow the plugin again", shown(change.tool),
                                  change.kind == mcp::PinChange::Kind::kNew ? "new" : "not what it was"));
    for (const std::string& line : change.lines) out += "  " + report::visible(line) + "\n";
  }
  for (const mcp::Tool& tool : talk.tools())
    for (const std::string& one : mcp::hidden_characters(tool))
      out += head(fmt::format("{} has characters that nobody sees: {}", shown(tool.name), report::visible(one)));
  return out;
}

Json tools_json(const PluginTalk& talk) {
  Json tools = Json::array();
  for (const mcp::Tool& tool : talk.tools()) {
    Json one = tool.definition;
    const std::string state = word_of(talk.change_of(tool.name));
    one["pinfold"] = {{"state", state.empty() ? "approved" : state},
                      {"hidden_characters", mcp::hidden_characters(tool)}};
    tools.push_back(std::move(one));
  }
  return tools;
}

Result<Json> arguments_of(const Parsed& parsed) {
  if (parsed.words.size() < 3) return Json::object();
  std::string given = parsed.words[2];
  if (given == "-") {
    given.clear();
    char bytes[65536];
    while (true) {
      PF_TRY(got, sys::call("read", "standard input", [&] { return ::read(STDIN_FILENO, bytes, sizeof bytes); }), "");
      if (got == 0) break;
      given.append(bytes, static_cast<std::size_t>(got));
      if (given.size() > (std::size_t{10} << 20))
        return fail(ErrorKind::kInvalid, "the arguments are longer than 10 MiB", "give less");
    }
  }
  PF_TRY(arguments, mcp::read_json(given), "the arguments");
  if (!arguments.is_object())
    return fail(ErrorKind::kInvalid, "the arguments are no JSON object",
                R"(as in: pinfold plugin call ID TOOL '{"text": "hi"}')");
  return arguments;
}

// What the tool answered, for people: its texts as they are, the rest by its kind.
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

int plugin_tools(const Parsed& parsed, Context& context) {
  auto id = one_id(parsed);
  if (!id) return complain(id.error(), context.host);
  auto talk = PluginTalk::open(parsed, *id, Restart::kOnce, context);
  if (!talk) return complain(talk.error(), context.host);
  if (given(parsed, Id::kJson)) {
    print(STDOUT_FILENO, mcp::write_json(tools_json(**talk)) + "\n");
    return 0;
  }
  print(STDOUT_FILENO, tools_table(**talk, paper_for(STDOUT_FILENO, context.host)));
  print(STDERR_FILENO, warnings(**talk, colour_for(STDERR_FILENO, context.host)));
  return 0;
}

int plugin_call(const Parsed& parsed, Context& context) {
  if (given(parsed, Id::kCalls)) {
    auto id = one_id(parsed);
    if (!id) return complain(id.error(), context.host);
    auto talk = PluginTalk::open(parsed, *id, Restart::kAgain, context);
    return talk ? plugin_calls(**talk) : complain(talk.error(), context.host);
  }
  if (parsed.words.size() < 2 || parsed.words.size() > 3)
    return complain({ErrorKind::kInvalid, "a plugin and a tool are needed, and perhaps arguments",
                     R"(pinfold plugin call ID TOOL '{"text": "hi"}')"},
                    context.host);
  auto arguments = arguments_of(parsed);
  if (!arguments) return complain(arguments.error(), context.host);
  auto talk = PluginTalk::open(parsed, parsed.words[0], Restart::kOnce, context);
  if (!talk) return complain(talk.error(), context.host);
  auto result = (*talk)->call(parsed.words[1], std::move(*arguments));
  if (!result) return complain(result.error(), context.host);
  print(STDOUT_FILENO, given(parsed, Id::kJson) ? mcp::write_json(result->whole) + "\n" : content_text(*result));
  return result->is_error ? 1 : 0;
}

}  // namespace pinfold::cli
