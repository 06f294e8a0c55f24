// plugin_client.cc: a plugin that was allowed, started confined, and spoken to.
// Invariant: one event loop, which runs only while something is waited for.
// Not here: which tools there are allowed to be (mcp/pin.cc), how answers look (plugin_tools.cc).
#include "cli/plugin_client.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/options.h"
#include "cli/plugin_protocol_version.h"
#include "cli/plugin_pins.h"
#include "cli/run_journal.h"
#include "safety/redaction/secret_names.h"
#include "settings/files.h"

namespace pinfold::cli {

namespace {

using text::shown;

// Ourselves again: the process between us and the plugin holds its sandbox, and takes it along when it ends.
std::vector<std::string> plugin_run_command(const Parsed& parsed, const std::string& id) {
  std::vector<std::string> argv = {"/proc/self/exe", "plugin", "run", "--quiet"};
  for (const auto& [flag, name] : {std::pair{Id::kPlugins, "--plugins"}, std::pair{Id::kBackend, "--backend"}})
    if (const Given* given = find_given(parsed, flag)) argv.insert(argv.end(), {name, std::string(given->value)});
  argv.push_back(id);
  return argv;
}

// Declared as one, or named like one.
bool is_secret(const plugin::Permissions& asked, const std::string& name) {
  const auto is_it = [&](const plugin::Asked& one) { return one.text == name; };
  if (std::any_of(asked.secrets.begin(), asked.secrets.end(), is_it)) return true;
  return std::any_of(asked.environment.begin(), asked.environment.end(), is_it) && redaction::says_secret(name);
}

std::string story_of(const mcp::Failure& failure) {
  return failure.kind == mcp::Failure::Kind::kAnswered ? "it answered with an error: " + failure.story : failure.story;
}

}  // namespace

PluginTalk::PluginTalk(sys::EventLoop loop, std::vector<std::string> argv, PluginDesk desk, HostView& host)
    : loop_(std::move(loop)), starter_(loop_, std::move(argv)), desk_(std::move(desk)), host_(host) {}

PluginTalk::~PluginTalk() {
  if (!client_) return;
  bool stopped = false;
  client_->stop([&stopped, this] {
    stopped = true;
    loop_.stop();
  });
  static_cast<void>(run_until(stopped, Unless::kNothing));
}

Result<std::unique_ptr<PluginTalk>> PluginTalk::open(const Parsed& parsed, const std::string& id, Restart restart,
                                                     Context& context) {
  PF_TRY(desk, open_plugins(parsed, context.host), "");
  PF_TRY(loop, sys::EventLoop::create(), "");
  std::unique_ptr<PluginTalk> talk(
      new PluginTalk(std::move(loop), plugin_run_command(parsed, id), std::move(desk), context.host));
  PF_TRY(one, find_plugin(talk->desk_, id), "");
  const SeenPlugin seen = look_at(*one, Files::kKnown, talk->desk_, context.host);
  PF_CHECK(check_allowed(seen, talk->desk_), "");
  talk->id_ = one->manifest->id;
  PF_TRY(confined, plugin::confine(*one, talk->desk_.caller, context.host), "plugin " + shown(id));
  for (const EnvRule& rule : confined.policy.environment) {
    const auto value = rule.value ? rule.value : context.host.variable(rule.name);
    if (value && is_secret(one->manifest->permissions, rule.name)) talk->filter_.add_value(rule.name, *value);
  }
  PF_CHECK(talk->begin(restart, seen.now->files_hash), "plugin " + talk->id_);
  if (talk->pin_problem_) return tl::unexpected<Error>(std::move(*talk->pin_problem_).within("plugin " + talk->id_));
  return talk;
}

Result<void> PluginTalk::begin(Restart restart, const std::string& files_hash) {
  const std::string state(paths::parent(plugin::private_home_of(id_, desk_.caller, host_)));
  const auto listed = [this] {
    listed_ = true;
    pin_problem_.reset();
    if (auto checked = check_pins(); !checked) pin_problem_ = std::move(checked).error();
    loop_.stop();
  };
  mcp::Client::Events events;
  events.ready = [this, listed, state, files_hash](const mcp::ServerFacts& facts) {
    instructions_ = facts.instructions;
    remember_era(state, files_hash, facts.era);
    if (!facts.offers("tools")) listed();  // there is nothing to wait for
  };
  events.tools = [listed](const mcp::ToolList&) { listed(); };
  events.changed = [this](const mcp::State& state_now) {
    if (!std::holds_alternative<mcp::state::Ready>(state_now)) listed_ = false;
    if (const auto* end = std::get_if<mcp::state::GivenUp>(&state_now)) {
      gave_up_ = end->why;
      loop_.stop();
    }
  };
  mcp::Settings settings;
  settings.known_era = remembered_era(state, files_hash);
  if (restart == Restart::kOnce) settings.durations.most_failures = 1;
  client_ = std::make_unique<mcp::Client>(loop_, starter_, filter_, std::move(settings), std::move(events));
  client_->start();
  PF_CHECK(run_until(listed_), "");
  if (listed_) return {};
  const std::string last = said();
  return fail(ErrorKind::kUnavailable, "it does not start as an MCP server: " + gave_up_,
              last.empty() ? "pinfold plugin doctor" : "it said: " + last);
}

Result<void> PluginTalk::run_until(const bool& done, Unless unless) {
  while (!done && (unless == Unless::kNothing || gave_up_.empty())) PF_CHECK(loop_.run(), "");
  return {};
}

// Each time that it lists its tools: at the start, after a change, after a restart.
Result<void> PluginTalk::check_pins() {
  PF_TRY(changes, compare_with_pinned(id_, mcp::pins_of(id_, tools(), instructions_), desk_, host_), "");
  changes_ = std::move(changes);
  return {};
}

const mcp::PinChange* PluginTalk::change_of(const std::string& tool) const {
  const auto found =
      std::find_if(changes_.begin(), changes_.end(), [&](const mcp::PinChange& one) { return one.tool == tool; });
  return found == changes_.end() ? nullptr : &*found;
}

Result<mcp::CallResult> PluginTalk::call(const std::string& tool, mcp::Json arguments) {
  PF_CHECK(run_until(listed_), "");
  if (!gave_up_.empty()) return fail(ErrorKind::kUnavailable, "it has ended too often: " + gave_up_, "");
  if (pin_problem_) return tl::unexpected<Error>(*pin_problem_);
  if (client_->tools().find(tool) == nullptr)
    return fail(ErrorKind::kNotFound, fmt::format("{} has no tool {}", id_, shown(tool)),
                "pinfold plugin tools " + id_);
  if (change_of(tool) != nullptr)
    return fail(ErrorKind::kRefused,
                fmt::format("the tool {} is not what it was when you allowed {}", shown(tool), id_),
                fmt::format("see the difference: pinfold plugin tools {0}; agree: pinfold plugin allow {0}", id_));
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
  if (!sent) return fail(ErrorKind::kInvalid, story_of(sent.error()), "pinfold plugin tools " + id_);
  PF_CHECK(run_until(done), "");
  if (!outcome) return fail(ErrorKind::kUnavailable, "it ended: " + gave_up_, "");
  if (const auto* failure = std::get_if<mcp::Failure>(&*outcome))
    return fail(ErrorKind::kUnavailable, story_of(*failure), "");
  if (std::holds_alternative<mcp::InputRequired>(*outcome))
    return fail(ErrorKind::kUnavailable, "it wants to ask something first, and there is nobody to ask",
                "use it from an MCP client");
  auto& result = std::get<mcp::CallResult>(*outcome);
  if (const auto why = mcp::blocked_command(result.whole)) {
    record_withheld(tool, *why);
    return fail(ErrorKind::kRefused, "its answer holds a command that nobody should run: " + *why,
                "look at the plugin before you trust it");
  }
  return std::move(result);
}

// A run of its own among the others: what the plugin itself did has its own lines.
void PluginTalk::record_withheld(const std::string& tool, const std::string& why) {
  if (!settings::wants_journal(desk_.caller, settings::Use::kRead, host_)) return;
  session::RunStarted run;
  run.argv = {"pinfold", "plugin", "call", id_, tool};
  run.working_dir = desk_.caller.working_dir;
  run.profile = "plugin " + id_;
  RunJournal journal(settings::state_directory(desk_.caller, host_), std::move(run));
  Report report;
  report.outcome = Refused{RefusedBy::kAdvice, "its answer was kept back: " + why, ""};
  Denial denial;
  denial.operation = "answer";
  denial.resource = tool;
  denial.rule = "command advice: " + why;
  denial.source = DenialSource::kObserved;
  denial.program = id_;
  report.denials.push_back(std::move(denial));
  static_cast<void>(journal.end(report));
}

std::string PluginTalk::said() const {
  std::string out;
  for (const std::string& line : client_->errors().lines()) out += (out.empty() ? "" : "\n") + shown(line);
  return out;
}

}  // namespace pinfold::cli
