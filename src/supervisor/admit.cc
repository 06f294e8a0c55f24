// admit.cc: a required step that is not fully enforced refuses, unless the user decided otherwise.
#include "supervisor/admit.h"

#include "report/hints.h"

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

bool is_accepted(const Request& request, const GapQuestion& question) {
  switch (request.plan->on_unavailable) {
    case OnUnavailable::kWarn:
      if (request.warn) request.warn(question);
      return true;
    case OnUnavailable::kPrompt: return request.decider != nullptr && says_yes(*request.decider, question);
    case OnUnavailable::kDeny: break;
  }
  return false;
}

Refused refusal(const GapQuestion& question, const std::vector<Candidate>& story) {
  Refused refused{RefusedBy::kEnforcement, "", ""};
  for (const Coverage& row : question.gaps)
    refused.reason += (refused.reason.empty() ? "" : "; ") + row.step + " is " +
                      (row.strength == Strength::kAbsent ? "not enforced" : "enforced only in part") + ": " + row.gap;
  for (const Candidate& other : story)
    if (!other.chosen) refused.reason += "; " + other.backend + " was not taken: " + other.why;
  for (const std::string& fix : question.fixes) refused.fix += fix + "; ";
  refused.fix += refused.fix.empty() ? "accept the gap with --on-unavailable warn"
                                     : "or accept the gap with --on-unavailable warn";
  return refused;
}

}  // namespace

std::optional<Refused> admit(const Request& request, const Choice& choice, HostView& host, Report& report) {
  GapQuestion question{gaps_that_refuse(choice.sandbox()->coverage()), std::string(choice.name()), {}};
  if (question.gaps.empty()) return std::nullopt;
  const std::vector<Candidate> story = choice.story();
  question.fixes = report::fixes(host, story, choice.sandbox()->coverage());
  report.fixes = question.fixes;
  if (!is_accepted(request, question)) return refusal(question, story);
  report.accepted_gaps = std::move(question.gaps);
  return std::nullopt;
}

}  // namespace pinfold::supervisor
