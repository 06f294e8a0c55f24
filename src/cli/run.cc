// run.cc: `pinfold run`: read the policy, plan, admit, run, report.
// Invariant: whatever ends the run, --report is written and the exit code follows from the outcome.
// Not here: walls (backend), streams and time (supervisor), words (report).
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/consult.h"
#include "cli/live_questions.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/prompt.h"
#include "cli/report_file.h"
#include "cli/run_journal.h"
#include "cli/shell.h"
#include "cli/surroundings.h"
#include "report/gaps.h"
#include "report/hints.h"
#include "report/outcome.h"
#include "report/render.h"
#include "report/table.h"
#include "safety/redaction/secret_names.h"
#include "supervisor/choose.h"
#include "supervisor/supervisor.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using text::shown;

// What a run would do about what it finds; the exit code says the same.
int explain_verdict(const Plan& plan, const std::vector<Coverage>& rows) {
  const std::vector<Coverage> gaps = gaps_that_refuse(rows);
  const bool refused = !gaps.empty() && plan.on_unavailable == OnUnavailable::kDeny;
  std::string out = "\nit would run\n";
  if (refused)
    out = fmt::format("\nit would be refused: {} is required and not fully enforced\n", shown(gaps.front().step));
  else if (!gaps.empty())
    out = plan.on_unavailable == OnUnavailable::kWarn ? "\nit would run, with a warning about the gaps\n"
                                                      : "\nit would ask about the gaps\n";
  print(STDOUT_FILENO, out);
  return refused ? exit_code(Refused{RefusedBy::kEnforcement, {}, {}}) : 0;
}

// Prints what would happen. Walls are raised to find out how well they stand, and taken down again; nothing runs.
int explain(const Prepared& prepared, const RunOptions& options, Context& context) {
  const report::Paper paper = paper_for(STDOUT_FILENO, context.host);
  const auto head = [&](const std::string& text) { return report::paint(text, report::Paint::kBold, paper.colour); };
  std::string out = head("command") + "\n  " + text::shell_words(options.argv) + "\n  in " +
                    shown(prepared.plan.working_dir) + "\n\n" + head("plan") + "\n" +
                    report::visible_lines(describe(prepared.plan));
  if (out.back() != '\n') out += '\n';
  if (const std::string advice = advice_about(options, paper.colour); !advice.empty())
    out += "\n" + head("advice") + "\n" + advice;
  print(STDOUT_FILENO, out);

  supervisor::Choice choice(prepared.candidates, prepared.plan, supervisor::Choice::First::kRehearse);
  const auto made = choice.make();
  if (options.walls == Walls::kSandbox)
    print(STDOUT_FILENO, "\n" + head("backend") + "\n" + report::choice_table(choice.story(), paper));
  if (!made) {
    Report report;
    report.outcome = report::outcome_of(made.error());
    report.choice = choice.story();
    report.fixes = report::fixes(context.host, report.choice, {});
    print(STDERR_FILENO, report::run_message(report, paper_for(STDERR_FILENO, context.host)));
    return exit_code(report.outcome);
  }
  const std::vector<Coverage>& rows = choice.sandbox()->coverage();
  print(STDOUT_FILENO,
        "\n" + head(fmt::format("coverage by {}", choice.name())) + "\n" + report::coverage_table(rows, paper));
  return explain_verdict(prepared.plan, rows);
}

}  // namespace

Report carry_out(const Prepared& prepared, const RunOptions& options, LiveQuestions* questions, RunJournal& journal,
                 Context& context, const std::function<void(const Denial&)>& denied) {
  supervisor::Request request;
  request.plan = &prepared.plan;
  request.candidates = prepared.candidates;
  request.argv = options.argv;
  TerminalDecider decider(context.host);
  request.decider = &decider;
  request.warn = [&](const GapQuestion& question) { warn_about_gaps(question, options.walls, context.host); };
  request.started = [&journal] { journal.begin(); };
  request.denied = denied;
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

int complain(const Error& error, HostView& host) {
  const Outcome outcome = report::outcome_of(error);
  print(STDERR_FILENO, report::outcome_message(outcome, colour_for(STDERR_FILENO, host)));
  return exit_code(outcome);
}

int run_command(const Parsed& parsed, Context& context) {
  auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  auto options = read_run_options(parsed, *caller);
  if (!options) return complain(options.error(), context.host);

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
    if (options->ask != Ask::kNever) questions.emplace(parsed, *options, *caller, *prepared, journal, grants, context);
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
