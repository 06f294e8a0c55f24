// why.h: which rule decides about one path, variable, program or host, and what changes it.
// Invariant: asks Scope::decide() and the compiled plan, the same that a run obeys; every meaning of a word is
// answered. Not here: printing (policy_why.cc), changing anything.
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/plan.h"
#include "policy/scope.h"

namespace pinfold::cli {

struct Question {
  const std::string& subject;
  const Caller& caller;
  const policy::Scope& scope;
  const Plan& plan;
  HostView& host;
};

// Either may be empty: what a flag decided, a file cannot change.
struct Change {
  std::string flag;  // "--read /x"
  std::string toml;  // read = ["/x"]
};

struct Answer {
  std::string subject;
  std::string decision;
  std::string because;
  Change change;
};

std::vector<Answer> answers(const Question& question);

}  // namespace pinfold::cli
