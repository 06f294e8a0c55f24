// run.cc: `pinfold run`: read the policy, plan, admit, run, report.
// Invariant: after every outcome --report is written, and the exit code follows from the outcome.
// Not here: confinement (backend), streams and time (supervisor), texts (report).
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/advice_gate.h"
#include "cli/commands.h"
#include "cli/explain.h"
#include "cli/live_approvals.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/process_io.h"
#include "cli/prompt.h"
#include "cli/report_file.h"
#include "cli/run_journal.h"
#include "cli/shell.h"
#include "plan/caches.h"
#include "report/gaps.h"
#include "report/hints.h"
#include "report/outcome.h"
#include "report/render.h"
#include "report/table.h"
#include "safety/redaction/secret_names.h"
#include "supervisor/choose.h"
#include "supervisor/supervisor.h"
#include "sys/host.h"
#include "sys/owner_file.h"
#include "sys/signals.h"

namespace pinfold::cli {

// Errors are ignored: in a home that cannot be written to there is no cache either.
void keep_cache_owner(const PreparedRun& prepared) {
  const std::string directory = plan::cache_directory(prepared.plan);
  if (directory.empty()) return;
  static_cast<void>(sys::write_owner(directory, plan::kCacheOwner,
                                     plan::cached_project(prepared.workspaces, prepared.plan.working_dir)));
}

Report carry_out(const PreparedRun& prepared, const RunOptions& options, LiveApprovals* approvals, RunJournal& journal,
                 Context& context, const std::function<void(const Denial&)>& denied) {
  keep_cache_owner(prepared);
  if (const std::string used = plan::cache_directory(prepared.plan), first = used.substr(0, used.rfind('-'));
      used != first && paths::basename(used).find('-') != std::string_view::npos)
    print_warning(text::shown(paths::join(first, plan::kCacheOwner)) + " belongs to another project: this run uses " +
                      text::shown(used),
                  "if no project needs the other directory: rm -rf " + text::shell_word(first), context.host);
  supervisor::RunRequest request;
  request.plan = &prepared.plan;
  request.candidates = prepared.candidates;
  request.argv = options.argv;
  TerminalDecider decider(context.host);
  request.decider = &decider;
  request.warn = [&](const GapRequest& question) { warn_about_gaps(question, options.confinement, context.host); };
  request.started = [&journal] { journal.begin(); };
  request.denied = denied;
  request.hurried = [] { bound_printing(sys::Clock::now()); };
  bound_printing(prepared.plan);
  request.settled = [] { release_startup_memory(); };
  if (prepared.loop != nullptr) return supervisor::run(request, context.host, *prepared.loop);
  if (approvals == nullptr) return supervisor::run(request, context.host);
  request.approver = approvals->approver();
  request.widen = approvals->widen();
  Report report = supervisor::run(request, context.host);
  for (std::string& note : approvals->notes()) report.notes.push_back(std::move(note));
  return report;
}

RunJournal journal_of(const Result<PreparedRun>& prepared, const CommandLine& parsed, const RunOptions& options,
                      const Caller& caller, HostView& host) {
  const auto user_file = has_flag(parsed, Id::kNoUserFile) ? settings::SourceUse::kIgnore : settings::SourceUse::kRead;
  const bool wanted =
      options.journal && (prepared ? prepared->journal : settings::wants_journal(caller, user_file, host));
  if (!wanted) return {};
  session::RunStart run;
  run.argv = options.argv;
  run.working_dir = prepared ? prepared->plan.working_dir : options.working_dir.value_or(caller.working_dir);
  if (prepared) {
    run.workspaces = prepared->workspaces;
    run.profile = prepared->profile;
  }
  RunJournal journal(settings::state_directory(caller, host), std::move(run));
  if (prepared)
    for (const Step& step : prepared->plan.steps)
      if (const auto* environment = std::get_if<Environment>(&step.body))
        for (const Variable& one : environment->variables)
          if (redaction::says_secret(one.name)) journal.add_secret(one.name, one.value);
  return journal;
}

int finish(const Report& report, Verbosity verbosity, std::optional<ReportFile>& file, RunJournal& journal,
           Context& context) {
  sys::survive_broken_pipes();  // a closed stderr must not end this process before it writes the report
  const report::TextFormat format = format_for(STDERR_FILENO, context.host);
  std::string text = report::run_message(report, format);
  const std::string unrecorded = journal.end(report);
  // Accepted gaps were printed before the command's output.
  if (verbosity == Verbosity::kSummary) text += report::denial_summary(report, format) + unrecorded;
  print(STDERR_FILENO, text);
  if (file) {
    if (auto written = file->write(to_json(report)); !written) {
      // A missing report must be an error for the script that asked for it.
      print_error(fmt::format("{}; the command's exit code was {}", written.error().text(), exit_code(report.outcome)),
                  written.error().fix().empty() ? "check the directory of --report" : written.error().fix(),
                  context.host);
      return kUsageError;
    }
  }
  return exit_code(report.outcome);
}

int run_command(const CommandLine& parsed, Context& context) {
  auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  auto options = read_run_options(parsed, *caller);
  if (!options) return complain(options.error(), context.host);
  // Until the plan's own time limit is known.
  if (has_flag(parsed, Id::kTimeout)) bound_printing(sys::Clock::now());

  if (parsed.command == Command::kShell) {
    options->argv = shell_command(options->shell, context.host);
    options->implied_shell = true;
  }

  // Without a terminal every request is denied, so no call needs to be held.
  if (options->ask == AskMode::kTerminal &&
      (options->confinement == Confinement::kNone || !TerminalApprovalUi::is_available())) {
    if (options->ask_given)
      print_warning("--ask terminal: there is no terminal, so every approval request is denied", "", context.host);
    options->ask = AskMode::kNever;
  }

  std::optional<ReportFile> file;
  if (options->report) {
    auto opened = ReportFile::open(*options->report);
    if (!opened) return complain(opened.error(), context.host);
    file = std::move(*opened);
  }

  const auto started_at = std::chrono::system_clock::now();
  std::optional<AdviceResult> advice;
  std::vector<Grant> grants;  // of this run, given after an earlier start of the command
  for (;;) {
    auto prepared = prepare(parsed, *options, *caller, context, grants);
    if (prepared && options->mode == Mode::kExplain) return explain(*prepared, *options, context);
    RunJournal journal = journal_of(prepared, parsed, *options, *caller, context.host);
    Report report;
    report.started_at = started_at;
    if (!prepared) {
      report.outcome = report::outcome_of(prepared.error());
      return finish(report, options->verbosity, file, journal, context);
    }
    if (grants.empty()) advice = check_advice(*options, context.host);
    if (advice) journal.record_advice(options->argv[2], advice->because, advice->decision, advice->by);
    if (advice && advice->decision == ApprovalDecision::kDeny) {
      report.outcome = advice->refusal;
      return finish(report, options->verbosity, file, journal, context);
    }
    std::optional<LiveApprovals> approvals;
    if (options->ask != AskMode::kNever) approvals.emplace(*options, *caller, *prepared, journal, grants, context);
    report = carry_out(*prepared, *options, approvals ? &*approvals : nullptr, journal, context, {});
    add_other_backend(options->backend, prepared->plan, context.registry, report);
    report.notes.insert(report.notes.begin(), prepared->notes.begin(), prepared->notes.end());
    if (advice && !advice->note.empty()) report.notes.push_back(advice->note);
    const std::vector<Grant> more = approvals ? approvals->ask_afterwards(report) : std::vector<Grant>();
    if (more.empty()) return finish(report, options->verbosity, file, journal, context);
    static_cast<void>(journal.end(report));
    grants.insert(grants.end(), more.begin(), more.end());
  }
}

}  // namespace pinfold::cli
