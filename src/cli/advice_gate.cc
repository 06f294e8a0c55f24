// advice_gate.cc: what advice says about the text of `-c`, before it runs.
// Invariant: nobody there to ask is a no. Not here: how advice looks (advice_view.h).
#include "cli/advice_gate.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/paths.h"
#include "cli/advice_view.h"
#include "cli/prompt.h"
#include "cli/process_io.h"

namespace pinfold::cli {

namespace {

using advice::Advice;
using advice::Verdict;

constexpr std::string_view kOverride = "--force-advice runs it all the same, still in the sandbox";

Advice advice_for(const RunOptions& options) {
  const std::string_view shell = paths::basename(options.argv[0]);
  const bool windows = shell.starts_with("pwsh") || shell.starts_with("powershell");
  return advice::advise(options.argv[2], windows ? advice::Shell::kPowerShell : advice::Shell::kPosix);
}

std::string summary(const Advice& advice) {
  if (advice.findings.empty()) return "advice: more than is read";
  const advice::Finding& worst = advice.findings.front();
  return fmt::format("advice: {}: {}", worst.rule, worst.reason);
}

}  // namespace

std::optional<Consulted> consult(const RunOptions& options, HostView& host) {
  if (!options.is_text) return std::nullopt;
  const Advice advice = advice_for(options);
  if (advice.verdict == Verdict::kSafe) return std::nullopt;

  Consulted out;
  out.because = summary(advice);
  if (options.force_advice) {
    out.answer = Answer::kOnce;
    out.by = "--force-advice";
    out.note = fmt::format("advice would {} ({}); --force-advice was given",
                           advice.verdict == Verdict::kDeny ? "refuse this" : "ask about this",
                           out.because.substr(std::string_view("advice: ").size()));
    return out;
  }
  if (options.verbosity == Verbosity::kSummary)
    print(STDERR_FILENO, advice_text(options.argv[2], advice, colour_for(STDERR_FILENO, host)));
  out.by = "advice";
  if (advice.verdict == Verdict::kAsk) {
    const bool somebody = is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO);
    out.by = somebody ? "terminal" : "nobody";
    if (somebody && ask("Run it all the same?")) {
      out.answer = Answer::kOnce;
      return out;
    }
  }
  out.refusal = {RefusedBy::kAdvice,
                 out.because + (out.by == "nobody" ? "; that is to be asked about, and there is no terminal" : ""),
                 std::string(kOverride)};
  return out;
}

std::string advice_about(const RunOptions& options, report::Colour colour) {
  if (!options.is_text) return {};
  const Advice advice = advice_for(options);
  return advice.verdict == Verdict::kSafe ? std::string() : advice_text(options.argv[2], advice, colour);
}

}  // namespace pinfold::cli
