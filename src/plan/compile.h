// compile.h: policy → plan. Pure: every fact about the host comes through HostView.
// Invariant: a plan never allows more than the policy; what could not be searched fully becomes a PlanGap.
// Not here: enforcing, or how well (backend).
#pragma once

#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/plan.h"
#include "policy/scope.h"

namespace pinfold::plan {

struct Invocation {
  std::vector<std::string> argv;  // what will be executed; may be empty for `policy show` and `doctor`
  std::string working_dir;        // absolute, as given
  bool implied_shell = false;     // `-c`: argv[0] is a shell that the user did not have to list
  bool asks = false;              // somebody can be asked while it runs
};

// Where a command starts when nobody says: the caller's directory, or the first workspace if that is elsewhere.
std::string default_working_dir(const Caller& caller, const std::vector<std::string>& workspaces);

// Bounds of the search for patterns and protected names below the workspaces.
struct SearchBounds {
  std::size_t entries = 50'000;
  std::uint64_t milliseconds = 50;
};

Result<Plan> compile(const policy::Scope& scope, HostView& host, const Invocation& invocation,
                     SearchBounds bounds = {});

}  // namespace pinfold::plan
