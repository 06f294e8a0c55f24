// rule_synthesis.h: makes the fewest rules that grant a command's observed accesses.
// Invariant: no rule grants "/", a home directory, a parent of a workspace, a secret, or a path that the base profile
// grants already; each access without a rule is reported with the reason. Equal accesses give equal rules.
// Not here: the text of a policy file (profile.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "learn/observed_access.h"
#include "learn/secrets.h"
#include "pinfold/plan.h"

namespace pinfold::learn {

// Programs, and how often each used a path.
using Users = std::map<std::string, std::uint64_t>;

struct ObservedRule {
  Access access = Access::kRead;
  std::string path;  // absolute; may contain symlinks that the command uses
  Users users;
  bool looked_at_only = false;
};

struct OmittedRule {
  Access access = Access::kRead;
  std::string path;
  std::string why;
  Users users;
};

struct RuleSet {
  std::vector<ObservedRule> rules;  // by access, then path
  std::vector<OmittedRule> omitted;
  std::vector<std::string> programs;  // started programs, with Programs::kList
  std::vector<std::string> network;   // denied destinations
};

// kAny: executing is not restricted. kList: make a list of the started programs.
enum class Programs { kAny, kList };

struct SynthesisInput {
  const Plan& base;
  const Plan& watched;  // the plan of the first watched run
  const Secrets& secrets;
  std::vector<std::string> workspaces;  // canonical
  Programs programs = Programs::kAny;
};

RuleSet synthesize_rules(const ObservedAccess& observed, const SynthesisInput& input, HostView& host);

}  // namespace pinfold::learn
