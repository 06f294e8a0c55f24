// plugin_client.cc: starts an approved plugin confined, and calls its tools.
// Invariant: one event loop, which runs only while this waits for the plugin or for input.
// Not here: comparing tools with their pins (mcp/pin.cc), printing results (plugin_tools.cc).
#include "cli/plugin_client.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/options.h"
#include "cli/plugin_pins.h"
#include "cli/plugin_protocol_version.h"
#include "cli/run_journal.h"
#include "safety/redaction/secret_names.h"
#include "settings/files.h"

namespace pinfold::cli {

namespace {

using text::shown;

// This program again, as `plugin run`: that process holds the plugin's sandbox, which ends with it.
std::vector<std::string> plugin_run_command(const CommandLine& parsed, const std::string& id) {
  std::vector<std::string> argv = {"/proc/self/exe", "plugin", "run", "--quiet"};
  for (const auto& [flag, name] : {std::pair{Id::kPlugins, "--plugins"}, std::pair{Id::kBackend, "--backend"}})
    if (const FlagValue* flag_value = find_flag_value(parsed, flag))
      argv.insert(argv.end(), {name, std::string(flag_value->value)});
  argv.push_back(id);
  return argv;
}

// The manifest declares it as a secret, or its name looks like one.
bool is_secret(const plugin::Permissions& asked, const std::string& name) {
  const auto is_it = [&](const plugin::RequestedText& one) { return one.text == name; };
  if (std::any_of(asked.secrets.begin(), asked.secrets.end(), is_it)) return true;
  return std::any_of(asked.environment.begin(), asked.environment.end(), is_it) && redaction::says_secret(name);
}

std::string candidates_of(const mcp::Failure& failure) {
  return failure.kind == mcp::Failure::Kind::kAnswered ? "it returned an error: " + failure.story : failure.story;
}

}  // namespace

PluginClient::PluginClient(sys::EventLoop loop, std::vector<std::string> argv, PluginCatalog catalog, HostView& host)
    : loop_(std::move(loop)), starter_(loop_, std::move(argv)), catalog_(std::move(catalog)), host_(host) {}

PluginClient::~PluginClient() {
  if (!client_) return;
  bool stopped = false;
  client_->stop([&stopped, this] {
    stopped = true;
    loop_.stop();
  });
  static_cast<void>(run_until(stopped, Unless::kNothing));
}

Result<std::unique_ptr<PluginClient>> PluginClient::open(const CommandLine& parsed, const std::string& id,
                                                         Restart restart, Context& context) {
  PF_TRY(catalog, open_plugins(parsed, context.host));
  PF_TRY(loop, sys::EventLoop::create());
  std::unique_ptr<PluginClient> client(
      new PluginClient(std::move(loop), plugin_run_command(parsed, id), std::move(catalog), context.host));
  PF_TRY(one, find_plugin(client->catalog_, id));
  const PluginInfo info = inspect_plugin(*one, Hashing::kChangedFiles, client->catalog_, context.host);
  PF_CHECK(check_allowed(info, client->catalog_));
  client->id_ = one->manifest->id;
  PF_TRY(confined, plugin::confine(*one, client->catalog_.caller, context.host), "plugin " + shown(id));
  for (const EnvRule& rule : confined.policy.environment) {
    const auto value = rule.value ? rule.value : context.host.variable(rule.name);
    if (value && is_secret(one->manifest->permissions, rule.name)) client->filter_.add_value(rule.name, *value);
  }
  PF_CHECK(client->begin(restart, info.now->files_hash), "plugin " + client->id_);
  if (client->pin_problem_)
    return tl::unexpected<Error>(std::move(*client->pin_problem_).within("plugin " + client->id_));
  return client;
}

Result<void> PluginClient::begin(Restart restart, const std::string& files_hash) {
  const std::string state(paths::parent(plugin::private_home_of(id_, catalog_.caller, host_)));
  const auto listed = [this] {
    listed_ = true;
    pin_problem_.reset();
    if (auto checked = check_pins(); !checked) pin_problem_ = std::move(checked).error();
    loop_.stop();
  };
  mcp::Client::Events events;
  events.ready = [this, listed, state, files_hash](const mcp::ServerFacts& facts) {
    instructions_ = facts.instructions;
    store_protocol_version(state, files_hash, facts.family);
    if (!facts.offers("tools")) listed();  // no list of tools will come
  };
  events.tools = [listed](const mcp::ToolList&) { listed(); };
  events.state_changed = [this](const mcp::State& state_now) {
    if (!std::holds_alternative<mcp::state::Ready>(state_now)) listed_ = false;
    if (const auto* end = std::get_if<mcp::state::Failed>(&state_now)) {
      gave_up_ = end->why;
      loop_.stop();
    }
  };
  mcp::Settings settings;
  settings.known_family = stored_protocol_version(state, files_hash);
  if (restart == Restart::kOnce) settings.durations.most_failures = 1;
  client_ = std::make_unique<mcp::Client>(loop_, starter_, filter_, std::move(settings), std::move(events));
  client_->start();
  PF_CHECK(run_until(listed_));
  if (listed_) return {};
  const std::string last = stderr_text();
  return fail(ErrorKind::kUnavailable, "it did not start as an MCP server: " + gave_up_,
              last.empty() ? "pinfold plugin doctor" : "it wrote to stderr: " + last);
}

Result<void> PluginClient::run_until(const bool& done, Unless unless) {
  while (!done && (unless == Unless::kNothing || gave_up_.empty())) PF_CHECK(loop_.run());
  return {};
}

// Called each time the plugin lists its tools: at the start, after a change, after a restart.
Result<void> PluginClient::check_pins() {
  PF_TRY(changes, compare_with_pinned(id_, mcp::pins_of(id_, tools(), instructions_), catalog_, host_));
  changes_ = std::move(changes);
  return {};
}

const mcp::PinChange* PluginClient::change_of(const std::string& tool) const {
  const auto found =
      std::find_if(changes_.begin(), changes_.end(), [&](const mcp::PinChange& one) { return one.tool == tool; });
  return found == changes_.end() ? nullptr : &*found;
}

Result<mcp::CallResult> PluginClient::call(const std::string& tool, mcp::Json arguments) {
  PF_CHECK(run_until(listed_));
  if (!gave_up_.empty()) return fail(ErrorKind::kUnavailable, "it ended too often: " + gave_up_, "");
  if (pin_problem_) return tl::unexpected<Error>(*pin_problem_);
  if (client_->tools().find(tool) == nullptr)
    return fail(ErrorKind::kNotFound, fmt::format("{} has no tool {}", id_, shown(tool)),
                "pinfold plugin tools " + id_);
  if (change_of(tool) != nullptr)
    return fail(
        ErrorKind::kRefused, fmt::format("the tool {} changed since you allowed {}", shown(tool), id_),
        fmt::format("to see the change: pinfold plugin tools {0}; to accept it: pinfold plugin allow {0}", id_));
  std::optional<mcp::CallOutcome> outcome;
  bool done = false;
  mcp::Call request;
  request.tool = tool;
  request.arguments = std::move(arguments);
  request.check = mcp::Arguments::kChecked;
  const auto sent = client_->call(std::move(request), [&](mcp::CallOutcome got) {
    outcome = std::move(got);
    done = true;
    loop_.stop();
  });
  if (!sent) return fail(ErrorKind::kInvalid, candidates_of(sent.error()), "pinfold plugin tools " + id_);
  PF_CHECK(run_until(done));
  if (!outcome) return fail(ErrorKind::kUnavailable, "it ended: " + gave_up_, "");
  if (const auto* failure = std::get_if<mcp::Failure>(&*outcome))
    return fail(ErrorKind::kUnavailable, candidates_of(*failure), "");
  if (std::holds_alternative<mcp::InputRequired>(*outcome))
    return fail(ErrorKind::kUnavailable, "it asks for user input, which `pinfold plugin call` cannot give",
                "use it from an MCP client");
  auto& result = std::get<mcp::CallResult>(*outcome);
  if (const auto why = mcp::blocked_command(result.whole)) {
    record_withheld(tool, *why);
    return fail(ErrorKind::kRefused, "its result contains a command that advice refuses: " + *why,
                "review the plugin before you use it: pinfold plugin show ID");
  }
  return std::move(result);
}

// A journal entry of its own; the plugin's own run has other entries.
void PluginClient::record_withheld(const std::string& tool, const std::string& why) {
  if (!settings::wants_journal(catalog_.caller, settings::SourceUse::kRead, host_)) return;
  session::RunStart run;
  run.argv = {"pinfold", "plugin", "call", id_, tool};
  run.working_dir = catalog_.caller.working_dir;
  run.profile = "plugin " + id_;
  RunJournal journal(settings::state_directory(catalog_.caller, host_), std::move(run));
  Report report;
  report.outcome = Refused{RefusedBy::kAdvice, "its result was withheld: " + why, ""};
  Denial denial;
  denial.operation = "answer";
  denial.resource = tool;
  denial.rule = "command advice: " + why;
  denial.source = DenialSource::kObserved;
  denial.program = id_;
  report.denials.push_back(std::move(denial));
  static_cast<void>(journal.end(report));
}

std::string PluginClient::stderr_text() const {
  std::string out;
  for (const std::string& line : client_->errors().lines()) out += (out.empty() ? "" : "\n") + shown(line);
  return out;
}

}  // namespace pinfold::cli
