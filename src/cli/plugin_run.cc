// plugin_run.cc: `pinfold plugin run ID`: a plugin that was allowed, confined, on this process's own streams.
// Invariant: what was not allowed as it is now does not start; whatever the host cannot enforce, neither.
// Not here: asking (plugin_review.cc), the policy (plugin/confine.cc).
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plugin_clipboard.h"
#include "cli/plugin_start.h"
#include "cli/plugins.h"
#include "cli/prepare.h"
#include "plan/compile.h"
#include "plan/missing_own.h"
#include "plugin/clipboard.h"
#include "report/outcome.h"
#include "settings/files.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

// The clipboard of one run, for a plugin that was allowed to have it.
struct ClipboardRun {
  std::optional<ClipboardSeat> seat;
  std::optional<Result<plugin::ClipboardTools>> tools;
  std::optional<sys::EventLoop> loop;
  std::optional<plugin::Clipboard> service;
};

Result<void> seat_clipboard(const plugin::Installed& one, ClipboardRun& clipboard, HostView& host) {
  if (!one.manifest->permissions.clipboard) return {};
  PF_TRY(seat, ClipboardSeat::take(host), "");
  clipboard.seat.emplace(std::move(seat));
  return {};
}

// On a loop that serves it while the plugin runs.
Result<void> serve_clipboard(ClipboardRun& clipboard, Prepared& prepared, RunJournal& journal) {
  if (!clipboard.seat) return {};
  PF_TRY(loop, sys::EventLoop::create(), "");
  clipboard.loop.emplace(std::move(loop));
  prepared.loop = &*clipboard.loop;
  clipboard.service.emplace(*clipboard.loop, clipboard.seat->take_listener(), std::move(*clipboard.tools),
                            [&journal](const plugin::ClipboardUse& use) {
                              const bool copies = use.how == plugin::ClipboardUse::How::kCopy;
                              journal.used(copies ? "copy" : "paste", "clipboard", use.bytes, use.problem);
                            });
  return clipboard.service->start();
}

std::vector<std::string> writable_paths(const Policy& policy) {
  std::vector<std::string> out;
  for (const PathRule& rule : policy.paths)
    if (rule.access == Access::kWrite) out.push_back(rule.path);
  return out;
}

Result<Prepared> prepare_plugin(const Parsed& parsed, PluginDesk& desk, RunOptions& options, ClipboardRun& clipboard,
                                Context& context) {
  PF_TRY(id, one_id(parsed), "");
  PF_TRY(one, find_plugin(desk, id), "");
  Prepared out;
  PF_TRY(candidates, find_candidates(context.registry, options.backend), "");
  out.candidates = std::move(candidates);
  // Namespaces are made while files are looked at; for what was never allowed, nothing is.
  const bool hopeful = one->manifest && desk.approvals && desk.approvals->approved.contains(one->manifest->id);
  if (hopeful && !out.candidates.empty())
    out.candidates[0]->begin(one->manifest->permissions.network.empty() ? NetworkMode::kNone : NetworkMode::kDomains);
  const SeenPlugin seen = look_at(*one, Files::kKnown, desk, context.host);
  PF_CHECK(check_allowed(seen, desk), "");
  PF_CHECK(seat_clipboard(*one, clipboard, context.host), "plugin " + one->manifest->id);
  PF_TRY(start, plan_plugin(*one, desk.caller, context.host, clipboard.seat ? &clipboard.seat->place() : nullptr),
         "plugin " + one->manifest->id);
  if (clipboard.seat)
    clipboard.tools = plugin::find_clipboard_tools(writable_paths(start.confined.policy), context.host);
  out.plan = std::move(start.plan);
  out.profile = start.confined.policy.custom;
  out.workspaces = {start.confined.working_dir};
  out.journal = settings::wants_journal(desk.caller, settings::Use::kRead, context.host);
  options.argv = std::move(start.confined.argv);
  return out;
}

// What would allow it, in the words of the manifest: flags are not for plugins.
std::string permission_for(const Denial& denial, const std::string& folder) {
  if (!denial.grant) return denial.operation == "exec" ? "\"shell\": {\"commands\": […]}" : "";
  const bool own = paths::at_or_beneath(denial.grant->resource, folder);
  if (own && denial.grant->kind == Grant::Kind::kWrite) return "";  // nothing would: its folder stays as it is
  const std::string resource = nlohmann::json(valid_utf8(denial.grant->resource)).dump();
  switch (denial.grant->kind) {
    case Grant::Kind::kRead: return fmt::format(R"("filesystem": [{{"path": {}, "access": "read"}}])", resource);
    case Grant::Kind::kWrite: return fmt::format(R"("filesystem": [{{"path": {}, "access": "read-write"}}])", resource);
    case Grant::Kind::kNetwork: break;
  }
  return fmt::format(R"("network": [{}])", resource);
}

}  // namespace

Result<PluginStart> plan_plugin(const plugin::Installed& one, const Caller& caller, HostView& host,
                                const plugin::ClipboardPlace* clipboard) {
  PF_TRY(confined, plugin::confine(one, caller, host, clipboard), "");
  PF_CHECK(sys::make_directory(confined.private_home), "making its private home");
  plan::Invocation invocation;
  invocation.argv = confined.argv;
  invocation.working_dir = confined.working_dir;
  invocation.implied_shell = true;  // the interpreter need not be among the commands that the plugin may start
  const auto plan_now = [&]() -> Result<Plan> {
    PF_TRY(scope, policy::Scope::build(confined.policy, host), "");
    return plan::compile(scope, host, invocation);
  };
  PF_TRY(plan, plan_now(), "");
  if (const auto missing = plan::missing_own(plan, host); !missing.empty()) {
    for (const std::string& each : missing) static_cast<void>(sys::make_directories(each));
    PF_TRY(again, plan_now(), "");
    plan = std::move(again);
  }
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
  ClipboardRun clipboard;
  auto prepared = prepare_plugin(parsed, *desk, options, clipboard, context);
  RunJournal journal = journal_of(prepared, parsed, options, desk->caller, context.host);
  if (prepared)
    if (auto served = serve_clipboard(clipboard, *prepared, journal); !served)
      prepared = tl::unexpected<Error>(std::move(served).error());
  Report report;
  report.started_at = started_at;
  if (prepared)
    report = carry_out(*prepared, options, nullptr, journal, context, {});
  else
    report.outcome = report::outcome_of(prepared.error());
  for (Denial& denial : report.denials)
    denial.allow_with = permission_for(denial, prepared ? prepared->workspaces.at(0) : std::string());
  return finish(report, options.verbosity, file, journal, context);
}

}  // namespace pinfold::cli
