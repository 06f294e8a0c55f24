// explain.cc: prints the plan, the choice of backends and the coverage of a run that does not take place.
// Invariant: the exit code is 0 if the run would start. Not here: the run (run.cc).
#include "cli/explain.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/advice_gate.h"
#include "cli/commands.h"
#include "cli/process_io.h"
#include "report/gaps.h"
#include "report/hints.h"
#include "report/outcome.h"
#include "report/render.h"
#include "report/table.h"
#include "supervisor/choose.h"

namespace pinfold::cli {

namespace {

using text::shown;

// Prints whether the run would start with these gaps; returns the exit code that a refused run has, or 0.
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

}  // namespace

int explain(const PreparedRun& prepared, const RunOptions& options, Context& context) {
  const report::TextFormat format = format_for(STDOUT_FILENO, context.host);
  const auto head = [&](const std::string& text) { return report::paint(text, report::Paint::kBold, format.colour); };
  std::string out = head("command") + "\n  " + text::shell_words(options.argv) + "\n  in " +
                    shown(prepared.plan.working_dir) + "\n\n" + head("plan") + "\n" +
                    report::visible_lines(describe(prepared.plan));
  if (out.back() != '\n') out += '\n';
  if (const std::string advice = advice_about(options, format.colour); !advice.empty())
    out += "\n" + head("advice") + "\n" + advice;
  print(STDOUT_FILENO, out);

  supervisor::Choice choice(prepared.candidates, prepared.plan, supervisor::Choice::First::kRehearse);
  const auto made = choice.make();
  if (options.confinement == Confinement::kSandbox)
    print(STDOUT_FILENO, "\n" + head("backend") + "\n" + report::choice_table(choice.candidates(), format));
  if (!made) {
    Report report;
    report.outcome = report::outcome_of(made.error());
    report.choice = choice.candidates();
    report.fixes = report::fixes(context.host, report.choice, {});
    print(STDERR_FILENO, report::run_message(report, format_for(STDERR_FILENO, context.host)));
    return exit_code(report.outcome);
  }
  const std::vector<Coverage>& rows = choice.sandbox()->coverage();
  print(STDOUT_FILENO,
        "\n" + head(fmt::format("coverage by {}", choice.name())) + "\n" + report::coverage_table(rows, format));
  return explain_verdict(prepared.plan, rows);
}

}  // namespace pinfold::cli
