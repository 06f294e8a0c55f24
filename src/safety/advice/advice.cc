// advice.cc: makes the advice for a text.
// Invariant: a text that could not be parsed completely gets at least `ask`. Not here: judging (judge.cc).
#include "safety/advice/advice.h"

#include <algorithm>

#include "safety/advice/judge.h"
#include "safety/advice/powershell_reader.h"

namespace pinfold::advice {

std::string_view name_of(AdviceVerdict verdict) {
  switch (verdict) {
    case AdviceVerdict::kSafe: return "safe";
    case AdviceVerdict::kAsk: return "ask";
    case AdviceVerdict::kDeny: return "deny";
  }
  return "ask";
}

Advice advise(std::string_view text, Shell shell) {
  Advice out;
  Judge judge(out);
  if (shell != Shell::kPowerShell) judge.posix(text, {});
  if (shell == Shell::kPowerShell || (shell == Shell::kAuto && looks_like_windows(text))) judge.windows(text, {});
  if (!out.complete) {
    const Rule& rule = rule_named("too-deep");
    out.verdict = std::max(out.verdict, rule.verdict);
    out.findings.push_back(
        {rule.id, rule.category, rule.verdict, 0, static_cast<std::uint32_t>(text.size()), rule.reason, rule.safer});
  }
  std::stable_sort(out.findings.begin(), out.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.verdict > b.verdict; });
  return out;
}

}  // namespace pinfold::advice
