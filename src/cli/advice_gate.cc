// advice_gate.cc: command advice about the text of `-c`, before it runs.
// Invariant: without a terminal to ask at, "ask" means refuse. Not here: the layout of advice (advice_view.h).
#include "cli/advice_gate.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/paths.h"
#include "cli/advice_view.h"
#include "cli/process_io.h"
#include "cli/prompt.h"

namespace pinfold::cli {

namespace {

using advice::Advice;
using advice::AdviceVerdict;

constexpr std::string_view kOverride = "to run it in the sandbox anyway: add --force-advice";

Advice advice_for(const RunOptions& options) {
  const std::string_view shell = paths::basename(options.argv[0]);
  const bool windows = shell.starts_with("pwsh") || shell.starts_with("powershell");
  return advice::advise(options.argv[2], windows ? advice::Shell::kPowerShell : advice::Shell::kPosix);
}

std::string summary(const Advice& advice) {
  if (advice.findings.empty()) return "advice (too-long): the text is longer than advice reads";
  const advice::Finding& worst = advice.findings.front();
  return fmt::format("advice ({}): {}", worst.rule, worst.reason);
}

}  // namespace

std::optional<AdviceResult> check_advice(const RunOptions& options, HostView& host) {
  if (!options.is_text) return std::nullopt;
  const Advice advice = advice_for(options);
  if (advice.verdict == AdviceVerdict::kSafe) return std::nullopt;

  AdviceResult out;
  out.because = summary(advice);
  if (options.force_advice) {
    out.decision = ApprovalDecision::kOnce;
    out.by = "--force-advice";
    out.note = fmt::format("advice would {} {}; --force-advice was given",
                           advice.verdict == AdviceVerdict::kDeny ? "refuse this" : "ask about this",
                           out.because.substr(std::string_view("advice ").size()));
    return out;
  }
  if (options.verbosity == Verbosity::kSummary)
    print(STDERR_FILENO, advice_text(options.argv[2], advice, colour_for(STDERR_FILENO, host)));
  out.by = "advice";
  if (advice.verdict == AdviceVerdict::kAsk) {
    const bool can_ask = is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO);
    out.by = can_ask ? "terminal" : "nobody";
    if (can_ask && ask("Run it anyway?")) {
      out.decision = ApprovalDecision::kOnce;
      return out;
    }
  }
  out.refusal = {RefusedBy::kAdvice,
                 out.because + (out.by == "nobody" ? "; advice would ask, but there is no terminal" : ""),
                 std::string(kOverride)};
  return out;
}

std::string advice_about(const RunOptions& options, report::Colour colour) {
  if (!options.is_text) return {};
  const Advice advice = advice_for(options);
  return advice.verdict == AdviceVerdict::kSafe ? std::string() : advice_text(options.argv[2], advice, colour);
}

}  // namespace pinfold::cli
