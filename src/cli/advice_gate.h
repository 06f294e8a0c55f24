// advice_gate.h: command advice about the text of `-c`, before it runs.
// Invariant: a text with verdict deny runs only with --force-advice, one with verdict ask only after the user agrees;
// each decision is recorded. Not here: the advice itself (safety/advice/advice.h); a command given as words (`--`) is
// not checked.
#pragma once

#include <optional>
#include <string>

#include "base/host_view.h"
#include "cli/options.h"
#include "pinfold/approval.h"
#include "pinfold/report.h"
#include "report/table.h"

namespace pinfold::cli {

// The advice about a text whose verdict is not "safe", and the decision.
struct AdviceResult {
  std::string because;  // "advice (delete-root): deletes everything"
  ApprovalDecision decision = ApprovalDecision::kDeny;
  std::string by;      // "advice", "terminal", "nobody", "--force-advice"
  Refused refusal{};   // for kDeny
  std::string note{};  // for --force-advice: the overridden verdict
};

// Empty for a safe text and for a command without -c. May ask at the terminal.
std::optional<AdviceResult> check_advice(const RunOptions& options, HostView& host);

// The findings of check_advice() as text, for --explain; empty without a finding.
std::string advice_about(const RunOptions& options, report::Colour colour);

}  // namespace pinfold::cli
