// run.cc: `pinfold run` on Windows: read the policy, plan, admit, run, report.
// Invariant: after every outcome --report is written, and the exit code follows from the outcome.
// Not here: confinement (backend), time (supervisor), texts (report); approval requests and the journal, which this
// build does not have.
#include <unistd.h>

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/advice_gate.h"
#include "cli/commands.h"
#include "cli/explain.h"
#include "cli/options.h"
#include "cli/prepare.h"
#include "cli/process_io.h"
#include "cli/prompt.h"
#include "report/gaps.h"
#include "report/outcome.h"
#include "report/render.h"
#include "supervisor/supervisor.h"
#include "sys/host.h"
#include "sys/windows/files.h"

namespace pinfold::cli {
namespace {

bool is_powershell(const std::string& shell) {
  std::string_view name = shell;
  name.remove_prefix(name.find_last_of("/\\") + 1);
  if (name.ends_with(".exe")) name.remove_suffix(4);
  return name == "powershell" || name == "pwsh";
}

// -c: the text is one argument of PowerShell. cmd.exe would parse it together with the arguments, by its own rules.
Result<void> choose_shell(RunOptions& options) {
  if (!options.is_text) return {};
  const std::string shell = options.shell.empty() ? "powershell.exe" : options.shell;
  if (!is_powershell(shell))
    return fail(ErrorKind::kInvalid, fmt::format("--shell {}: -c takes PowerShell on Windows", text::shown(shell)),
                "--shell powershell.exe or pwsh.exe; or pinfold run -- cmd.exe /d /c WORDS");
  options.argv[0] = shell;
  return {};
}

Result<RunOptions> options_of(const CommandLine& parsed, const Caller& caller) {
  PF_TRY(options, read_run_options(parsed, caller));
  if (parsed.command == Command::kShell) {
    options.argv = {options.shell.empty() ? "powershell.exe" : options.shell};
    options.implied_shell = true;
  }
  if (options.ask_given && options.ask != AskMode::kNever)
    return fail(ErrorKind::kUnavailable, "--ask: Pinfold on Windows cannot ask while a command runs",
                "leave out --ask");
  options.ask = AskMode::kNever;
  if (options.confinement == Confinement::kNone)
    return fail(ErrorKind::kUnavailable, "--no-sandbox: Pinfold on Windows runs nothing without a sandbox",
                "start the command itself");
  PF_CHECK(choose_shell(options));
  return options;
}

int finish_run(const Report& report, const RunOptions& options, Context& context) {
  const report::TextFormat format = format_for(STDERR_FILENO, context.host);
  std::string text = report::run_message(report, format);
  if (options.verbosity == Verbosity::kSummary) text += report::denial_summary(report, format);
  print(STDERR_FILENO, text);
  if (options.report)
    if (auto written = sys::publish(*options.report, to_json(report)); !written) {
      print_error(fmt::format("{}; the command's exit code was {}", written.error().text(), exit_code(report.outcome)),
                  "check the directory of --report", context.host);
      return kUsageError;
    }
  return exit_code(report.outcome);
}

}  // namespace

int run_command(const CommandLine& parsed, Context& context) {
  const auto caller = sys::find_caller(context.host);
  if (!caller) return complain(caller.error(), context.host);
  auto options = options_of(parsed, *caller);
  if (!options) return complain(options.error(), context.host);
  auto prepared = prepare(parsed, *options, *caller, context, {});
  Report report;
  report.started_at = std::chrono::system_clock::now();
  if (!prepared) {
    report.outcome = report::outcome_of(prepared.error());
    return finish_run(report, *options, context);
  }
  if (options->mode == Mode::kExplain) return explain(*prepared, *options, context);
  const auto advice = check_advice(*options, context.host);
  if (advice && advice->decision == ApprovalDecision::kDeny) {
    report.outcome = advice->refusal;
    return finish_run(report, *options, context);
  }
  supervisor::RunRequest request;
  request.plan = &prepared->plan;
  request.candidates = prepared->candidates;
  request.argv = options->argv;
  if (options->is_text)
    request.argv = {options->argv[0], "-NoProfile", "-NonInteractive", "-Command", options->argv[2]};
  TerminalDecider decider(context.host);
  request.decider = &decider;
  request.warn = [&](const GapRequest& question) { warn_about_gaps(question, options->confinement, context.host); };
  report = supervisor::run(request, context.host);
  report.notes.insert(report.notes.begin(), prepared->notes.begin(), prepared->notes.end());
  if (advice && !advice->note.empty()) report.notes.push_back(advice->note);
  return finish_run(report, *options, context);
}

}  // namespace pinfold::cli
