// plugin_run.cc: `pinfold plugin run ID`: runs an approved plugin confined, on this process's standard streams.
// Invariant: a plugin that changed since its approval does not start, nor one that this host cannot confine fully.
// Not here: the approval (plugin_review.cc), the policy (plugin/confine.cc).
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
#include "settings/own_directories.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

// The clipboard of one run, for a plugin with that permission.
struct ClipboardRun {
  std::optional<ClipboardDir> directory;
  std::optional<Result<plugin::ClipboardTools>> tools;
  std::optional<sys::EventLoop> loop;
  std::optional<plugin::Clipboard> service;
};

Result<void> create_clipboard_dir(const plugin::InstalledPlugin& one, ClipboardRun& clipboard, HostView& host) {
  if (!one.manifest->permissions.clipboard) return {};
  PF_TRY(directory, ClipboardDir::create(host));
  clipboard.directory.emplace(std::move(directory));
  return {};
}

// Serves the clipboard on an event loop while the plugin runs.
Result<void> serve_clipboard(ClipboardRun& clipboard, PreparedRun& prepared, RunJournal& journal) {
  if (!clipboard.directory) return {};
  PF_TRY(loop, sys::EventLoop::create());
  clipboard.loop.emplace(std::move(loop));
  prepared.loop = &*clipboard.loop;
  clipboard.service.emplace(*clipboard.loop, clipboard.directory->take_listener(), std::move(*clipboard.tools),
                            [&journal](const plugin::ClipboardUse& use) {
                              const bool copies = use.operation == plugin::ClipboardUse::Operation::kCopy;
                              journal.record_use(copies ? "copy" : "paste", "clipboard", use.bytes, use.problem);
                            });
  return clipboard.service->start();
}

std::vector<std::string> writable_paths(const Policy& policy) {
  std::vector<std::string> out;
  for (const PathRule& rule : policy.paths)
    if (rule.access == Access::kWrite) out.push_back(rule.path);
  return out;
}

Result<PreparedRun> prepare_plugin(const CommandLine& parsed, PluginCatalog& catalog, RunOptions& options,
                                   ClipboardRun& clipboard, Context& context) {
  PF_TRY(id, required_id(parsed));
  PF_TRY(one, find_plugin(catalog, id));
  PreparedRun out;
  PF_TRY(candidates, find_candidates(context.registry, options.backend));
  out.candidates = std::move(candidates);
  // The backend creates namespaces while this process hashes files, but only for a plugin with an approval.
  const bool maybe_approved =
      one->manifest && catalog.approvals && catalog.approvals->approved.contains(one->manifest->id);
  if (maybe_approved && !out.candidates.empty())
    out.candidates[0]->begin(one->manifest->permissions.network.empty() ? NetworkMode::kNone : NetworkMode::kDomains);
  const PluginInfo info = inspect_plugin(*one, Hashing::kChangedFiles, catalog, context.host);
  PF_CHECK(check_allowed(info, catalog));
  PF_CHECK(create_clipboard_dir(*one, clipboard, context.host), "plugin " + one->manifest->id);
  PF_TRY(start,
         plan_plugin(*one, catalog.caller, context.host, clipboard.directory ? &clipboard.directory->place() : nullptr),
         "plugin " + one->manifest->id);
  if (clipboard.directory)
    clipboard.tools = plugin::find_clipboard_tools(writable_paths(start.confined.policy), context.host);
  out.plan = std::move(start.plan);
  out.temporary = std::move(start.temporary);
  out.profile = start.confined.policy.custom;
  out.workspaces = {start.confined.working_dir};
  out.journal = settings::wants_journal(catalog.caller, settings::SourceUse::kRead, context.host);
  options.argv = std::move(start.confined.argv);
  return out;
}

// The line of the manifest that would allow the call; flags do not apply to plugins.
std::string permission_for(const Denial& denial, const std::string& folder) {
  if (!denial.grant) return denial.operation == "exec" ? "\"shell\": {\"commands\": […]}" : "";
  const bool own = paths::at_or_beneath(denial.grant->resource, folder);
  if (own && denial.grant->kind == Grant::Kind::kWrite) return "";  // a plugin can never write to its own folder
  const std::string resource = nlohmann::json(valid_utf8(denial.grant->resource)).dump();
  switch (denial.grant->kind) {
    case Grant::Kind::kRead: return fmt::format(R"("filesystem": [{{"path": {}, "access": "read"}}])", resource);
    case Grant::Kind::kWrite: return fmt::format(R"("filesystem": [{{"path": {}, "access": "read-write"}}])", resource);
    case Grant::Kind::kNetwork: break;
  }
  return fmt::format(R"("network": [{}])", resource);
}

}  // namespace

Result<PluginStart> plan_plugin(const plugin::InstalledPlugin& one, const Caller& caller, HostView& host,
                                const plugin::ClipboardPaths* clipboard) {
  PF_TRY(confined, plugin::confine(one, caller, host, clipboard));
  PF_CHECK(sys::make_directory(confined.private_home), "creating its private home");
  plan::Invocation invocation;
  invocation.argv = confined.argv;
  invocation.working_dir = confined.working_dir;
  invocation.implied_shell = true;  // the interpreter need not be among the commands that the plugin may start
  const auto plan_now = [&]() -> Result<Plan> {
    PF_TRY(scope, policy::Scope::build(confined.policy, host));
    return plan::compile(scope, host, invocation);
  };
  PF_TRY(plan, plan_now());
  std::shared_ptr<sys::MaskDirectories> temporary;
  if (const auto missing = plan::missing_own(plan, host); !missing.empty()) {
    PF_TRY(made, settings::make_own_directories(missing));
    temporary = std::move(made);
    PF_TRY(again, plan_now());
    plan = std::move(again);
  }
  return PluginStart{std::move(confined), std::move(plan), std::move(temporary)};
}

int plugin_run(const CommandLine& parsed, Context& context) {
  RunOptions options;
  options.backend = "auto";
  if (const FlagValue* backend = find_flag_value(parsed, Id::kBackend)) options.backend = backend->value;
  if (has_flag(parsed, Id::kQuiet)) options.verbosity = Verbosity::kQuiet;
  options.journal = !has_flag(parsed, Id::kNoJournal);
  auto catalog = open_plugins(parsed, context.host);
  if (!catalog) return complain(catalog.error(), context.host);
  std::optional<ReportFile> file;
  if (const FlagValue* report = find_flag_value(parsed, Id::kReport)) {
    if (report->value == "-")
      return complain(Error(ErrorKind::kInvalid, "--report - would mix the report with the plugin's output",
                            "name a file, or /dev/fd/3"),
                      context.host);
    auto path = absolute(report->value, "--report", catalog->caller);
    if (!path) return complain(path.error(), context.host);
    auto opened = ReportFile::open(*path);
    if (!opened) return complain(opened.error(), context.host);
    file = std::move(*opened);
  }
  const auto started_at = std::chrono::system_clock::now();
  ClipboardRun clipboard;
  // A file that the host could not look at is taken for missing: its error says more than "no such plugin".
  auto prepared = unless_host_failed(context.host, prepare_plugin(parsed, *catalog, options, clipboard, context));
  RunJournal journal = journal_of(prepared, parsed, options, catalog->caller, context.host);
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
