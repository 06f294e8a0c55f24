// run.cc: `pinfold run`: read the policy, plan, admit, run, report.
// Invariant: whatever ends the run, --report is written and the exit code follows from the outcome.
// Not here: walls (backend), streams and time (supervisor), words (report).
#include <unistd.h>

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/memory.h"
#include "cli/options.h"
#include "cli/prompt.h"
#include "cli/report_file.h"
#include "cli/run_journal.h"
#include "cli/surroundings.h"
#include "plan/compile.h"
#include "report/gaps.h"
#include "report/hints.h"
#include "report/outcome.h"
#include "report/render.h"
#include "report/table.h"
#include "supervisor/choose.h"
#include "supervisor/supervisor.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

using text::shown;

struct Prepared {
  Plan plan;
  std::vector<backend::Backend*> candidates;
  std::string profile;
  std::vector<std::string> workspaces;
  bool journal = true;
};

Result<Prepared> prepare(const Parsed& parsed, const RunOptions& options, const Caller& caller, Context& context) {
  Prepared prepared;
  if (options.walls == Walls::kSandbox) {
    PF_TRY(candidates, find_candidates(context.registry, options.backend), "");
    prepared.candidates = std::move(candidates);
  }
  const std::optional<NetworkMode> expected = network_at_a_glance(parsed);
  // Only the first: the others are for hosts where it does not stand.
  if (!prepared.candidates.empty() && expected) prepared.candidates[0]->begin(*expected);
  PF_TRY(loaded, load_policy(parsed, caller, context.host), "");
  if (loaded.off && !options.walls_named)
    return fail(ErrorKind::kRefused,
                shown(*loaded.off) + ": the sandbox is switched off, and nothing runs bare by accident",
                "say --no-sandbox to run without it, or --sandbox to run in it all the same");
  if (!prepared.candidates.empty() && !expected) prepared.candidates[0]->begin(loaded.policy.network.mode);
  PF_TRY(scope, policy::Scope::build(loaded.policy, context.host), "");
  PF_CHECK(settings::check_consent(loaded, scope, context.host, caller), "");
  plan::Invocation invocation;
  invocation.argv = options.argv;
  invocation.implied_shell = options.implied_shell;
  invocation.working_dir =
      options.working_dir ? *options.working_dir : plan::default_working_dir(caller, scope.workspaces());
  PF_TRY(plan, plan::compile(scope, context.host, invocation), "");
  prepared.plan = std::move(plan);
  prepared.profile = loaded.policy.profile;
  prepared.workspaces = scope.workspaces();
  prepared.journal = loaded.journal;
  if (options.walls == Walls::kNone) {
    if (!context.registry.passthrough)
      return fail(ErrorKind::kUnavailable, "this program has no way to run without a sandbox");
    prepared.candidates = {context.registry.passthrough.get()};
    // --no-sandbox is itself the answer to every gap; the warning below still says so.
    if (!options.gap_answer_given) prepared.plan.on_unavailable = OnUnavailable::kWarn;
  }
  return prepared;
}

void warn_about_gaps(const GapQuestion& question, Walls walls, HostView& host) {
  const report::Paper paper = paper_for(STDERR_FILENO, host);
  std::string out = report::paint("pinfold: warning:", report::Paint::kWarn, paper.colour);
  const std::size_t count = question.gaps.size();
  if (walls == Walls::kNone) {
    out += " no sandbox (--no-sandbox): not enforced:";
    for (const Coverage& row : question.gaps) out += " " + report::visible(row.step);
    out += '\n';
  } else {
    out += fmt::format(" running with {} gap{} in what is required, by {}\n", count, count == 1 ? "" : "s",
                       report::visible(question.backend));
    out += report::gap_table(question.gaps, paper) + report::fix_list(question.fixes, paper);
  }
  print(STDERR_FILENO, out);
}

Report carry_out(const Prepared& prepared, const RunOptions& options, RunJournal& journal, Context& context) {
  supervisor::Request request;
  request.plan = &prepared.plan;
  request.candidates = prepared.candidates;
  request.argv = options.argv;
  TerminalDecider decider(context.host);
  request.decider = &decider;
  request.warn = [&](const GapQuestion& question) { warn_about_gaps(question, options.walls, context.host); };
  request.started = [&journal] { journal.begin(); };
  request.settled = [] { release_what_was_for_starting(); };
  return supervisor::run(request, context.host);
}

std::string joined(const std::vector<std::string>& argv) {
  std::string out;
  for (const std::string& word : argv) out += (out.empty() ? "" : " ") + text::shell_word(word);
  return out;
}

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
  std::string out = head("command") + "\n  " + joined(options.argv) + "\n  in " + shown(prepared.plan.working_dir) +
                    "\n\n" + head("plan") + "\n" + report::visible_lines(describe(prepared.plan));
  if (out.back() != '\n') out += '\n';
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

// What the journal is told about the run before it begins; nothing is recorded where the user does not want it.
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
  return {settings::state_directory(caller, host), std::move(run)};
}

int finish(const Report& report, const RunOptions& options, std::optional<ReportFile>& file, RunJournal& journal,
           Context& context) {
  const report::Paper paper = paper_for(STDERR_FILENO, context.host);
  std::string text = report::run_message(report, paper);
  const std::string unrecorded = journal.end(report);
  // The gaps that were accepted stand on the terminal already, before the command's own output.
  if (options.verbosity == Verbosity::kSummary) text += report::denial_summary(report, paper) + unrecorded;
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

}  // namespace

Result<std::vector<backend::Backend*>> find_candidates(const backend::Registry& registry, std::string_view name) {
  if (name == "auto" && registry.backends.empty())
    return fail(ErrorKind::kUnavailable, "this program was built without a sandbox for this system",
                "see: pinfold doctor");
  if (name == "auto") return registry.all();
  if (backend::Backend* found = registry.find(name)) return std::vector<backend::Backend*>{found};
  std::vector<std::string_view> names = {"auto"};
  for (const auto& backend : registry.backends) names.push_back(backend->name());
  std::string known;
  for (const std::string_view one : names) known += (known.empty() ? "" : ", ") + std::string(one);
  return fail(ErrorKind::kInvalid,
              fmt::format("--backend: there is no backend {}{}", shown(name), did_you_mean(name, names)),
              "use one of: " + known);
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

  std::optional<ReportFile> file;
  if (options->report) {
    auto opened = ReportFile::open(*options->report);
    if (!opened) return complain(opened.error(), context.host);
    file = std::move(*opened);
  }

  const auto started_at = std::chrono::system_clock::now();
  auto prepared = prepare(parsed, *options, *caller, context);
  if (prepared && options->mode == Mode::kExplain) return explain(*prepared, *options, context);
  RunJournal journal = journal_of(prepared, parsed, *options, *caller, context.host);
  Report report;
  if (prepared) {
    report = carry_out(*prepared, *options, journal, context);
  } else {
    report.outcome = report::outcome_of(prepared.error());
    report.started_at = started_at;
  }
  return finish(report, *options, file, journal, context);
}

}  // namespace pinfold::cli
