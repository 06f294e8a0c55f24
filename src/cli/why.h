// why.h: finds the rule that decides about a path, variable, program or host, and the flag that changes it.
// Invariant: uses Scope::decide() and the compiled plan, as a run does; explains every meaning of a word.
// Not here: JSON (policy_why.cc), changing anything.
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "pinfold/plan.h"
#include "policy/scope.h"
#include "report/render.h"

namespace pinfold::cli {

struct RuleQuery {
  const std::string& subject;
  const Caller& caller;
  const policy::Scope& scope;
  const Plan& plan;
  HostView& host;
};

// Either may be empty: a file cannot override a flag.
struct SuggestedChange {
  std::string flag;  // "--read /x"
  std::string toml;  // read = ["/x"]
};

struct RuleExplanation {
  std::string subject;
  std::string decision;
  std::string because;
  SuggestedChange change;
};

std::vector<RuleExplanation> explain_subject(const RuleQuery& rule_query);

// The canonical path of the subject.
std::string canonical_subject(const RuleQuery& rule_query);

// The policy and plan of a run with the same flags.
struct EffectivePolicy {
  Caller caller;
  LoadedScope read;
  Plan plan;
};
Result<EffectivePolicy> load_effective_policy(const CommandLine& parsed, Context& context);

// For people.
std::string explanations_text(const std::vector<RuleExplanation>& all, report::Colour colour);

}  // namespace pinfold::cli
