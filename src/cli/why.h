// why.h: which rule decides about one path, variable, program or host, and what changes it.
// Invariant: asks Scope::decide() and the compiled plan, the same that a run obeys; every meaning of a word is
// answered. Not here: JSON (policy_why.cc), changing anything.
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

struct WhyQuestion {
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

struct WhyAnswer {
  std::string subject;
  std::string decision;
  std::string because;
  Change change;
};

std::vector<WhyAnswer> answers(const WhyQuestion& question);

// The canonical path that a word means.
std::string path_meant(const WhyQuestion& question);

// What a run with the same flags would obey.
struct Obeyed {
  Caller caller;
  LoadedScope read;
  Plan plan;
};
Result<Obeyed> obeyed(const Parsed& parsed, Context& context);

// For people.
std::string in_words(const std::vector<WhyAnswer>& all, report::Colour colour);

}  // namespace pinfold::cli
