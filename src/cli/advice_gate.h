// advice_gate.h: what advice says about the text of `-c`, before it runs.
// Invariant: a text that advice would refuse runs only with --force-advice, one it would ask about only after a yes;
// each answer is recorded. Not here: the advice itself (safety/advice/advice.h); a command in words (`--`) is not
// looked at.
#pragma once

#include <optional>
#include <string>

#include "base/host_view.h"
#include "cli/options.h"
#include "pinfold/question.h"
#include "pinfold/report.h"
#include "report/table.h"

namespace pinfold::cli {

// What was said about a text that is not plainly safe, and what came of it.
struct Consulted {
  std::string because;  // "advice: delete-root: deletes everything"
  Answer answer = Answer::kDeny;
  std::string by;      // "advice", "terminal", "nobody", "--force-advice"
  Refused refusal{};   // for kDeny
  std::string note{};  // for --force-advice: what was overridden
};

// Nothing for a text that is safe, and for a command that is no text. May ask at the terminal.
std::optional<Consulted> consult(const RunOptions& options, HostView& host);

// What consult() would find, for --explain; empty for nothing.
std::string advice_about(const RunOptions& options, report::Colour colour);

}  // namespace pinfold::cli
