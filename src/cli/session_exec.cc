// session_exec.cc: `pinfold session exec`: one command in a session, with limits and a report of its own.
// Invariant: reads no policy and makes no sandbox; exit codes are those of `pinfold run`.
// Not here: talking to the session (control/client.h), streams and time (supervisor).
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
#include "cli/report_file.h"
#include "cli/process_io.h"
#include "control/client.h"
#include "supervisor/supervisor.h"
#include "sys/host.h"

namespace pinfold::cli {
namespace {

struct Exec {
  std::string session;
  supervisor::Request request;
  Plan plan;  // what the client itself watches: limits
  control::ask::Directory directory = control::ask::Directory::kIfShown;
  std::optional<std::string> report;
  Verbosity verbosity = Verbosity::kSummary;
};

Result<std::uint64_t> amount_of(const Given& given) {
  if (given.flag->id == Id::kMemory || given.flag->id == Id::kOutputLimit) return units::parse_size(given.value);
  PF_TRY(time, units::parse_duration(given.value), "");
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

Result<std::optional<Variable>> variable_of(const Given& given, HostView& host) {
  const std::size_t equals = given.value.find('=');
  Variable out{std::string(given.value.substr(0, equals)), "", {}};
  if (out.name.empty())
    return fail(ErrorKind::kInvalid, fmt::format("--env {}: there is no name", text::shown(given.value)),
                "--env NAME, or --env NAME=VALUE");
  if (equals != std::string_view::npos) {
    out.value = given.value.substr(equals + 1);
    return out;
  }
  const auto value = host.variable(out.name);
  if (!value) return std::nullopt;
  out.value = *value;
  return out;
}

// Who we are is worth asking only where a path is given.
Result<std::string> path_of(const Given& given, HostView& host) {
  PF_TRY(caller, sys::find_caller(host), "");
  return absolute(given.value, given.spelling, caller);
}

Result<void> read_flag(const Given& given, HostView& host, Exec& exec) {
  if (const auto kind = limit_kind(given.flag->id)) {
    PF_TRY(amount, amount_of(given), given.spelling);
    exec.plan.steps.push_back({LimitStep{*kind, amount}, Need::kRequired, {}});
    exec.plan.steps.back().origin.where = given.spelling;
  } else if (given.flag->id == Id::kEnv) {
    PF_TRY(variable, variable_of(given, host), "");
    if (variable) exec.request.variables.push_back(std::move(*variable));
  } else if (given.flag->id == Id::kCwd) {
    PF_TRY(directory, path_of(given, host), "");
    exec.request.working_dir = std::move(directory);
    exec.directory = control::ask::Directory::kWanted;
  } else if (given.flag->id == Id::kReport) {
    PF_TRY(file, path_of(given, host), "");
    exec.report = std::move(file);
  } else if (given.flag->id == Id::kQuiet) {
    exec.verbosity = Verbosity::kQuiet;
  }
  return {};
}

Result<Exec> read_exec(const Parsed& parsed, Context& context) {
  Exec exec;
  if (parsed.words.empty())
    return fail(ErrorKind::kInvalid, "which session?",
                "pinfold session exec NAME -- COMMAND; see: pinfold session list");
  if (parsed.words.size() < 2 || parsed.words[1].empty())
    return fail(ErrorKind::kInvalid, "there is no command to run", "pinfold session exec NAME -- COMMAND");
  exec.session = parsed.words[0];
  exec.request.argv.assign(parsed.words.begin() + 1, parsed.words.end());
  exec.request.working_dir = working_directory();
  for (const Given& given : parsed.flags) PF_CHECK(read_flag(given, context.host, exec), "");
  // The session may have been started from another kind of terminal.
  if (is_terminal(STDIN_FILENO) || is_terminal(STDOUT_FILENO) || is_terminal(STDERR_FILENO))
    if (const auto kind = context.host.variable("TERM"); kind)
      exec.request.variables.insert(exec.request.variables.begin(), Variable{"TERM", *kind, {}});
  exec.request.leftovers = supervisor::Leftovers::kLeave;
  // Gaps were looked at when the session was started.
  exec.plan.on_unavailable = OnUnavailable::kWarn;
  return exec;
}

RunJournal journal_of(const Exec& exec, const Parsed& parsed, HostView& host) {
  auto caller = sys::find_caller(host);
  if (!caller || given(parsed, Id::kNoJournal) || !settings::wants_journal(*caller, settings::Use::kRead, host))
    return {};
  session::RunStarted run;
  run.argv = exec.request.argv;
  run.working_dir = exec.request.working_dir;
  run.profile = "session " + exec.session;
  return {settings::state_directory(*caller, host), std::move(run)};
}

Report carry_out(Exec& exec, control::Place& place, Context& context) {
  control::RemoteBackend backend(
      place, exec.session, exec.directory,
      exec.report ? control::RemoteBackend::Tell::kCoverage : control::RemoteBackend::Tell::kNothing);
  exec.request.plan = &exec.plan;
  exec.request.candidates = {&backend};
  exec.request.errors = [&](std::string_view bytes) { backend.look_at(bytes); };
  exec.request.hurried = [] { bound_printing(sys::Clock::now()); };
  bound_printing(exec.plan);
  Report report = supervisor::run(exec.request, context.host);
  if (backend.limits() == nullptr) return report;
  // Limits of its own for every command, unless a flag has said otherwise.
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

int session_exec(const Parsed& parsed, Context& context) {
  auto exec = read_exec(parsed, context);
  if (!exec) return complain(exec.error(), context.host);
  std::optional<ReportFile> file;
  if (exec->report) {
    auto opened = ReportFile::open(*exec->report);
    if (!opened) return complain(opened.error(), context.host);
    file = std::move(*opened);
  }
  auto place = control::Place::open(context.host);
  if (!place) return complain(place.error(), context.host);
  RunJournal journal = journal_of(*exec, parsed, context.host);
  exec->request.started = [&journal] { journal.begin(); };
  return finish(carry_out(*exec, *place, context), exec->verbosity, file, journal, context);
}

}  // namespace pinfold::cli
