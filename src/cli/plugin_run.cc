// plugin_run.cc: `pinfold plugin run ID`: a plugin that was allowed, confined, on this process's own streams.
// Invariant: what was not allowed as it is now does not start; whatever the host cannot enforce, neither.
// Not here: asking (plugin_review.cc), the policy (plugin/confine.cc).
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plugin_start.h"
#include "cli/plugins.h"
#include "cli/prepare.h"
#include "plan/compile.h"
#include "report/outcome.h"
#include "settings/files.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

Result<Prepared> prepare_plugin(const Parsed& parsed, PluginDesk& desk, RunOptions& options, Context& context) {
  PF_TRY(id, one_id(parsed), "");
  PF_TRY(one, find_plugin(desk, id), "");
  const SeenPlugin seen = look_at(*one, desk, context.host);
  PF_CHECK(check_allowed(seen, desk), "");
  PF_TRY(start, plan_plugin(*one, desk.caller, context.host), "plugin " + one->manifest->id);
  Prepared out;
  PF_TRY(candidates, find_candidates(context.registry, options.backend), "");
  out.candidates = std::move(candidates);
  if (!out.candidates.empty()) out.candidates[0]->begin(start.confined.policy.network.mode);
  out.plan = std::move(start.plan);
  out.profile = start.confined.policy.custom;
  out.workspaces = {start.confined.working_dir};
  out.journal = settings::wants_journal(desk.caller, settings::Use::kRead, context.host);
  options.argv = std::move(start.confined.argv);
  return out;
}

// What would allow it, in the words of the manifest: flags are not for plugins.
std::string permission_for(const Denial& denial) {
  if (!denial.grant) return denial.operation == "exec" ? "\"shell\": {\"commands\": […]}" : "";
  const std::string resource = nlohmann::json(valid_utf8(denial.grant->resource)).dump();
  switch (denial.grant->kind) {
    case Grant::Kind::kRead: return fmt::format(R"("filesystem": [{{"path": {}, "access": "read"}}])", resource);
    case Grant::Kind::kWrite: return fmt::format(R"("filesystem": [{{"path": {}, "access": "read-write"}}])", resource);
    case Grant::Kind::kNetwork: break;
  }
  return fmt::format(R"("network": [{}])", resource);
}

}  // namespace

Result<PluginStart> plan_plugin(const plugin::Installed& one, const Caller& caller, HostView& host) {
  PF_TRY(confined, plugin::confine(one, caller, host), "");
  PF_CHECK(sys::make_directory(confined.private_home), "making its private home");
  PF_TRY(scope, policy::Scope::build(confined.policy, host), "");
  plan::Invocation invocation;
  invocation.argv = confined.argv;
  invocation.working_dir = confined.working_dir;
  invocation.implied_shell = true;  // the interpreter need not be among the commands that the plugin may start
  PF_TRY(plan, plan::compile(scope, host, invocation), "");
  return PluginStart{std::move(confined), std::move(plan)};
}

int plugin_run(const Parsed& parsed, Context& context) {
  RunOptions options;
  options.backend = "auto";
  if (const Given* backend = find_given(parsed, Id::kBackend)) options.backend = backend->value;
  if (given(parsed, Id::kQuiet)) options.verbosity = Verbosity::kQuiet;
  options.journal = !given(parsed, Id::kNoJournal);
  auto desk = open_plugins(parsed, context.host);
  if (!desk) return complain(desk.error(), context.host);
  std::optional<ReportFile> file;
  if (const Given* report = find_given(parsed, Id::kReport)) {
    if (report->value == "-")
      return complain(Error(ErrorKind::kInvalid, "--report - would mix the report into what the plugin says",
                            "name a file, or /dev/fd/3"),
                      context.host);
    auto path = absolute(report->value, "--report", desk->caller);
    if (!path) return complain(path.error(), context.host);
    auto opened = ReportFile::open(*path);
    if (!opened) return complain(opened.error(), context.host);
    file = std::move(*opened);
  }
  const auto started_at = std::chrono::system_clock::now();
  auto prepared = prepare_plugin(parsed, *desk, options, context);
  RunJournal journal = journal_of(prepared, parsed, options, desk->caller, context.host);
  Report report;
  report.started_at = started_at;
  if (prepared)
    report = carry_out(*prepared, options, nullptr, journal, context, {});
  else
    report.outcome = report::outcome_of(prepared.error());
  for (Denial& denial : report.denials) denial.allow_with = permission_for(denial);
  return finish(report, options.verbosity, file, journal, context);
}

}  // namespace pinfold::cli
