// session_exec.cc: `pinfold session exec`: runs one command in a session, with its own limits and report.
// Invariant: reads no policy and makes no sandbox; exit codes are those of `pinfold run`.
// Not here: the session's protocol (control/client.h), streams and time (supervisor).
#include <unistd.h>

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/process_io.h"
#include "cli/report_file.h"
#include "control/client.h"
#include "supervisor/supervisor.h"
#include "sys/host.h"

namespace pinfold::cli {
namespace {

struct ExecRequest {
  std::string session;
  supervisor::RunRequest request;
  Plan plan;  // the limits that this process enforces itself
  control::request::Directory directory = control::request::Directory::kIfShown;
  std::optional<std::string> report;
  Verbosity verbosity = Verbosity::kSummary;
};

Result<std::uint64_t> amount_of(const FlagValue& flag_value) {
  if (flag_value.flag->id == Id::kMemory || flag_value.flag->id == Id::kOutputLimit)
    return units::parse_size(flag_value.value);
  PF_TRY(time, units::parse_duration(flag_value.value));
  return static_cast<std::uint64_t>(time.count());
}

std::optional<LimitKind> limit_kind(Id id) {
  switch (id) {
    case Id::kTimeout: return LimitKind::kWallTime;
    case Id::kMemory: return LimitKind::kMemory;
    case Id::kCpuTime: return LimitKind::kCpuTime;
    case Id::kOutputLimit: return LimitKind::kOutputSize;
    default: return std::nullopt;
  }
}

Result<std::optional<Variable>> variable_of(const FlagValue& flag_value, HostView& host) {
  const std::size_t equals = flag_value.value.find('=');
  Variable out{std::string(flag_value.value.substr(0, equals)), "", {}};
  if (out.name.empty())
    return fail(ErrorKind::kInvalid,
                fmt::format("--env {}: the variable's name is empty", text::shown(flag_value.value)),
                "--env NAME, or --env NAME=VALUE");
  if (equals != std::string_view::npos) {
    out.value = flag_value.value.substr(equals + 1);
    return out;
  }
  const auto value = host.variable(out.name);
  if (!value) return std::nullopt;
  out.value = *value;
  return out;
}

// Reads the caller's identity, which only a path needs.
Result<std::string> path_of(const FlagValue& flag_value, HostView& host) {
  PF_TRY(caller, sys::find_caller(host));
  return absolute(flag_value.value, flag_value.spelling, caller);
}

Result<void> read_flag(const FlagValue& flag_value, HostView& host, ExecRequest& exec) {
  if (const auto kind = limit_kind(flag_value.flag->id)) {
    PF_TRY(amount, amount_of(flag_value), flag_value.spelling);
    exec.plan.steps.push_back({LimitStep{*kind, amount}, Need::kRequired, {}});
    exec.plan.steps.back().origin.where = flag_value.spelling;
  } else if (flag_value.flag->id == Id::kEnv) {
    PF_TRY(variable, variable_of(flag_value, host));
    if (variable) exec.request.variables.push_back(std::move(*variable));
  } else if (flag_value.flag->id == Id::kCwd) {
    PF_TRY(directory, path_of(flag_value, host));
    exec.request.working_dir = std::move(directory);
    exec.directory = control::request::Directory::kWanted;
  } else if (flag_value.flag->id == Id::kReport) {
    PF_TRY(file, path_of(flag_value, host));
    exec.report = std::move(file);
  } else if (flag_value.flag->id == Id::kQuiet) {
    exec.verbosity = Verbosity::kQuiet;
  }
  return {};
}

Result<ExecRequest> read_exec(const CommandLine& parsed, Context& context) {
  ExecRequest exec;
  if (parsed.words.empty())
    return fail(ErrorKind::kInvalid, "no session is named",
                "pinfold session exec NAME -- COMMAND; see: pinfold session list");
  if (parsed.words.size() < 2 || parsed.words[1].empty())
    return fail(ErrorKind::kInvalid, "there is no command to run", "pinfold session exec NAME -- COMMAND");
  exec.session = parsed.words[0];
  exec.request.argv.assign(parsed.words.begin() + 1, parsed.words.end());
  exec.request.working_dir = working_directory();
  for (const FlagValue& flag_value : parsed.flags) PF_CHECK(read_flag(flag_value, context.host, exec));
  // The session may have been started with another TERM.
  if (is_terminal(STDIN_FILENO) || is_terminal(STDOUT_FILENO) || is_terminal(STDERR_FILENO))
    if (const auto kind = context.host.variable("TERM"); kind)
      exec.request.variables.insert(exec.request.variables.begin(), Variable{"TERM", *kind, {}});
  exec.request.leftovers = supervisor::Leftovers::kLeave;
  // `session start` already asked about gaps.
  exec.plan.on_unavailable = OnUnavailable::kWarn;
  return exec;
}

RunJournal journal_of(const ExecRequest& exec, const CommandLine& parsed, HostView& host) {
  auto caller = sys::find_caller(host);
  if (!caller || has_flag(parsed, Id::kNoJournal) ||
      !settings::wants_journal(*caller, settings::SourceUse::kRead, host))
    return {};
  session::RunStart run;
  run.argv = exec.request.argv;
  run.working_dir = exec.request.working_dir;
  run.profile = "session " + exec.session;
  return {settings::state_directory(*caller, host), std::move(run)};
}

Report carry_out(ExecRequest& exec, control::RuntimeDir& place, Context& context) {
  control::RemoteBackend backend(
      place, exec.session, exec.directory,
      exec.report ? control::RemoteBackend::Fetch::kCoverage : control::RemoteBackend::Fetch::kNothing);
  exec.request.plan = &exec.plan;
  exec.request.candidates = {&backend};
  exec.request.errors = [&](std::string_view bytes) { backend.look_at(bytes); };
  exec.request.hurried = [] { bound_printing(sys::Clock::now()); };
  bound_printing(exec.plan);
  Report report = supervisor::run(exec.request, context.host);
  if (backend.limits() == nullptr) return report;
  // The session's limits per command, unless a flag sets that limit.
  for (const LimitStep& each : *backend.limits()) {
    bool said = false;
    for (const Step& step : exec.plan.steps)
      if (const auto* limit = std::get_if<LimitStep>(&step.body)) said = said || limit->kind == each.kind;
    if (!said) exec.plan.steps.push_back({each, Need::kRequired, {}});
  }
  bound_printing(exec.plan);
  return supervisor::run(exec.request, context.host);
}

}  // namespace

int session_exec(const CommandLine& parsed, Context& context) {
  auto exec = read_exec(parsed, context);
  if (!exec) return complain(exec.error(), context.host);
  std::optional<ReportFile> file;
  if (exec->report) {
    auto opened = ReportFile::open(*exec->report);
    if (!opened) return complain(opened.error(), context.host);
    file = std::move(*opened);
  }
  auto place = control::RuntimeDir::open(context.host);
  if (!place) return complain(place.error(), context.host);
  RunJournal journal = journal_of(*exec, parsed, context.host);
  exec->request.started = [&journal] { journal.begin(); };
  return finish(carry_out(*exec, *place, context), exec->verbosity, file, journal, context);
}

}  // namespace pinfold::cli
