// apply_grants.h: adds the user's permanent grants to the policy of a run.
// Invariant: a project's grants apply only if its root is a workspace; a grant whose path is missing, or resolves to
// another path now, is skipped; if one file of the store is unreadable, no grant applies.
// Not here: storing grants (grant_store.h), the access that a grant gives (policy/grants.h).
#pragma once

#include <string>
#include <vector>

#include "session/grant_store.h"
#include "settings/load.h"

namespace pinfold::session {

// Whether a grant applies on this host, or why not.
enum class GrantState { kInForce, kGone, kLeadsElsewhere };
GrantState state_of(const Grant& grant, HostView& host);

// The roots of the projects that a run under this policy works in.
std::vector<std::string> project_roots(const Policy& policy, HostView& host);

// Returns the problems of the store; if there are any, no grant was added.
std::vector<Error> apply_grants(settings::LoadedPolicy& loaded, const Caller& caller, HostView& host);

}  // namespace pinfold::session
