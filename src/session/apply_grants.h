// apply_grants.h: what the user allowed for always, added to the policy of a run.
// Invariant: a project's grants hold only where its root is a workspace; a path that is gone, or leads elsewhere now,
// gives nothing; with one file of the store unreadable, no grant holds.
// Not here: keeping them (grant_store.h), what a grant gives (policy/grants.h).
#pragma once

#include <string>
#include <vector>

#include "session/grant_store.h"
#include "settings/load.h"

namespace pinfold::session {

// In force, or why not.
enum class GrantState { kStands, kGone, kLeadsElsewhere };
GrantState state_of(const Grant& grant, HostView& host);

// The roots of the projects that a run under this policy works in.
std::vector<std::string> project_roots(const Policy& policy, HostView& host);

// What is wrong with the store, if anything; then nothing was added.
std::vector<Error> apply_grants(settings::Loaded& loaded, const Caller& caller, HostView& host);

}  // namespace pinfold::session
