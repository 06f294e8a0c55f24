// compile.h: policy → plan. Pure: every fact about the host comes through HostView.
// Invariant: a plan never allows more than the policy; a directory that was not searched completely becomes a PlanGap.
// Not here: enforcing, or how well (backend).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/plan.h"
#include "policy/scope.h"

namespace pinfold::plan {

struct Invocation {
  std::vector<std::string> argv;  // the command; may be empty for `policy show` and `doctor`
  std::string working_dir;        // absolute, as given
  bool implied_shell = false;     // `-c`: argv[0] is a shell that the user did not have to list
  bool asks = false;              // approval requests are possible during the run
};

// The default working directory: the caller's, or the first workspace if the caller's is outside all workspaces.
std::string default_working_dir(const Caller& caller, const std::vector<std::string>& workspaces);

// Bounds of the search for patterns and protected names below the workspaces.
struct SearchBounds {
  std::size_t entries = 50'000;
  std::uint64_t milliseconds = 50;
};

Result<Plan> compile(const policy::Scope& scope, HostView& host, const Invocation& invocation,
                     SearchBounds bounds = {});

}  // namespace pinfold::plan
