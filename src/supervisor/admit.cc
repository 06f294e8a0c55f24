// admit.cc: refuses a plan with a required step that is not fully enforced, unless the user accepts the gap.
#include "supervisor/admit.h"

#include "report/hints.h"

namespace pinfold::supervisor {
namespace {

// The decider is the library user's code: an exception counts as kDeny.
bool is_approved(Decider& decider, const DecisionRequest& gap) {
  try {
    return decider.decide(gap) != ApprovalDecision::kDeny;
  } catch (...) {
    return false;
  }
}

bool is_accepted(const RunRequest& request, const GapRequest& gap) {
  switch (request.plan->on_unavailable) {
    case OnUnavailable::kWarn:
      if (request.warn) request.warn(gap);
      return true;
    case OnUnavailable::kPrompt: return request.decider != nullptr && is_approved(*request.decider, gap);
    case OnUnavailable::kDeny: break;
  }
  return false;
}

Refused refusal(const GapRequest& gap, const std::vector<Candidate>& candidates) {
  Refused refused{RefusedBy::kEnforcement, "", ""};
  for (const Coverage& row : gap.gaps)
    refused.reason += (refused.reason.empty() ? "" : "; ") + row.step + " is " +
                      (row.strength == Strength::kAbsent ? "not enforced" : "partial") + ": " + row.gap;
  for (const Candidate& other : candidates)
    if (!other.chosen) refused.reason += "; " + other.backend + " was not chosen: " + other.why;
  for (const std::string& fix : gap.fixes) refused.fix += fix + "; ";
  refused.fix += refused.fix.empty() ? "accept the gap with --on-unavailable warn"
                                     : "or accept the gap with --on-unavailable warn";
  return refused;
}

}  // namespace

std::optional<Refused> admit(const RunRequest& request, const Choice& choice, HostView& host, Report& report) {
  GapRequest gap{gaps_that_refuse(choice.sandbox()->coverage()), std::string(choice.name()), {}};
  if (gap.gaps.empty()) return std::nullopt;
  const std::vector<Candidate> candidates = choice.candidates();
  gap.fixes = report::fixes(host, candidates, choice.sandbox()->coverage());
  report.fixes = gap.fixes;
  if (!is_accepted(request, gap)) return refusal(gap, candidates);
  report.accepted_gaps = std::move(gap.gaps);
  return std::nullopt;
}

}  // namespace pinfold::supervisor
