// run.cc: `pinfold run`: read the policy, plan, admit, run, report.
// Invariant: whatever ends the run, --report is written and the exit code follows from the outcome.
// Not here: walls (backend), streams and time (supervisor), words (report).
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/advice_gate.h"
#include "cli/explain.h"
#include "cli/live_approvals.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/prompt.h"
#include "cli/report_file.h"
#include "cli/run_journal.h"
#include "cli/shell.h"
#include "cli/process_io.h"
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

// A home that cannot be written to has no cache either: nothing to say about it.
void keep_cache_owner(const Prepared& prepared) {
  const std::string directory = plan::cache_directory(prepared.plan);
  if (directory.empty()) return;
  static_cast<void>(sys::write_owner(directory, plan::kCacheOwner,
                                     plan::cached_project(prepared.workspaces, prepared.plan.working_dir)));
}

Report carry_out(const Prepared& prepared, const RunOptions& options, LiveQuestions* questions, RunJournal& journal,
                 Context& context, const std::function<void(const Denial&)>& denied) {
  keep_cache_owner(prepared);
  if (const std::string used = plan::cache_directory(prepared.plan), first = used.substr(0, used.rfind('-'));
      used != first && paths::basename(used).find('-') != std::string_view::npos)
    print_warning(text::shown(paths::join(first, plan::kCacheOwner)) + " names another project: this run uses " +
                      text::shown(used),
                  "if no project needs the other one: rm -rf " + text::shell_word(first), context.host);
  supervisor::Request request;
  request.plan = &prepared.plan;
  request.candidates = prepared.candidates;
  request.argv = options.argv;
  TerminalDecider decider(context.host);
  request.decider = &decider;
  request.warn = [&](const GapQuestion& question) { warn_about_gaps(question, options.walls, context.host); };
  request.started = [&journal] { journal.begin(); };
  request.denied = denied;
  request.hurried = [] { bound_printing(sys::Clock::now()); };
  bound_printing(prepared.plan);
  request.settled = [] { release_what_was_for_starting(); };
  if (prepared.loop != nullptr) return supervisor::run(request, context.host, *prepared.loop);
  if (questions == nullptr) return supervisor::run(request, context.host);
  request.asker = questions->asker();
  request.widen = questions->widen();
  Report report = supervisor::run(request, context.host);
  for (std::string& note : questions->notes()) report.notes.push_back(std::move(note));
  return report;
}

RunJournal journal_of(const Result<Prepared>& prepared, const Parsed& parsed, const RunOptions& options,
                      const Caller& caller, HostView& host) {
  const auto user_file = given(parsed, Id::kNoUserFile) ? settings::Use::kIgnore : settings::Use::kRead;
  const bool wanted =
      options.journal && (prepared ? prepared->journal : settings::wants_journal(caller, user_file, host));
  if (!wanted) return {};
  session::RunStarted run;
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
          if (redaction::says_secret(one.name)) journal.hide(one.name, one.value);
  return journal;
}

int finish(const Report& report, Verbosity verbosity, std::optional<ReportFile>& file, RunJournal& journal,
           Context& context) {
  sys::survive_broken_pipes();  // a reader of stderr that is gone must not cost the report and the exit code
  const report::Paper paper = paper_for(STDERR_FILENO, context.host);
  std::string text = report::run_message(report, paper);
  const std::string unrecorded = journal.end(report);
  // The gaps that were accepted stand on the terminal already, before the command's own output.
  if (verbosity == Verbosity::kSummary) text += report::denial_summary(report, paper) + unrecorded;
  print(STDERR_FILENO, text);
  if (file) {
    if (auto written = file->write(to_json(report)); !written) {
      // A script that asked for a report must not take its absence for an answer.
      print_error(fmt::format("{}; the command's exit code was {}", written.error().text(), exit_code(report.outcome)),
                  "check the directory of --report", context.host);
      return kUsageError;
    }
  }
  return exit_code(report.outcome);
}

int run_command(const Parsed& parsed, Context& context) {
  auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  auto options = read_run_options(parsed, *caller);
  if (!options) return complain(options.error(), context.host);
  // Until the plan tells the time itself.
  if (given(parsed, Id::kTimeout)) bound_printing(sys::Clock::now());

  if (parsed.command == Command::kShell) {
    options->argv = shell_command(options->shell, context.host);
    options->implied_shell = true;
  }

  // Nobody there to ask: the answer is no, and nothing has to wait for it.
  if (options->ask == Ask::kTerminal && (options->walls == Walls::kNone || !TerminalFace::is_there())) {
    if (options->ask_given)
      print_warning("--ask terminal: there is no terminal to ask at: the answer to every question is no", "",
                    context.host);
    options->ask = Ask::kNever;
  }

  std::optional<ReportFile> file;
  if (options->report) {
    auto opened = ReportFile::open(*options->report);
    if (!opened) return complain(opened.error(), context.host);
    file = std::move(*opened);
  }

  const auto started_at = std::chrono::system_clock::now();
  std::optional<Consulted> advised;
  std::vector<Grant> grants;  // of this run, by somebody who was asked when it had ended
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
    if (grants.empty()) advised = consult(*options, context.host);
    if (advised) journal.advised(options->argv[2], advised->because, advised->answer, advised->by);
    if (advised && advised->answer == Answer::kDeny) {
      report.outcome = advised->refusal;
      return finish(report, options->verbosity, file, journal, context);
    }
    std::optional<LiveQuestions> questions;
    if (options->ask != Ask::kNever) questions.emplace(*options, *caller, *prepared, journal, grants, context);
    report = carry_out(*prepared, *options, questions ? &*questions : nullptr, journal, context, {});
    report.notes.insert(report.notes.begin(), prepared->notes.begin(), prepared->notes.end());
    if (advised && !advised->note.empty()) report.notes.push_back(advised->note);
    const std::vector<Grant> more = questions ? questions->ask_afterwards(report) : std::vector<Grant>();
    if (more.empty()) return finish(report, options->verbosity, file, journal, context);
    static_cast<void>(journal.end(report));
    grants.insert(grants.end(), more.begin(), more.end());
  }
}

}  // namespace pinfold::cli
