// admit.cc: a required step that is not fully enforced refuses, unless the user decided otherwise.
#include "supervisor/admit.h"

namespace pinfold::supervisor {
namespace {

// Somebody else's code: one that throws has not agreed.
bool says_yes(Decider& decider, const Question& question) {
  try {
    return decider.decide(question) != Answer::kDeny;
  } catch (...) {
    return false;
  }
}

}  // namespace

std::optional<Refused> admit(const Request& request, const std::vector<Coverage>& coverage,
                             std::vector<std::string>& notes) {
  auto refusing = gaps_that_refuse(coverage);
  if (refusing.empty()) return std::nullopt;
  bool allowed = false;
  if (request.plan->on_unavailable == OnUnavailable::kWarn) {
    if (request.warn) request.warn(refusing);
    allowed = true;
  } else if (request.plan->on_unavailable == OnUnavailable::kPrompt && request.decider != nullptr) {
    allowed = says_yes(*request.decider, GapQuestion{refusing});
  }
  Refused refused{RefusedBy::kEnforcement, "", ""};
  for (const Coverage& row : refusing) {
    std::string gap = row.step + " is " +
                      (row.strength == Strength::kAbsent ? "not enforced" : "enforced only in part") + ": " + row.gap;
    if (allowed) notes.push_back("run in spite of a gap: " + gap);
    refused.reason += (refused.reason.empty() ? "" : "; ") + gap;
    if (refused.fix.empty()) refused.fix = row.fix;
  }
  if (allowed) return std::nullopt;
  refused.fix += std::string(refused.fix.empty() ? "" : "; ") + "or accept the gap with --on-unavailable warn";
  return refused;
}

}  // namespace pinfold::supervisor
