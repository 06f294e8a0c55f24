// grants.h: grants of the user, permanent or made while a command runs, on top of a policy.
// Invariant: a grant allows the same as the matching flag. A permanent grant ranks below the flags of this run; none
// opens the whole system or the whole home. A grant made by an approval request overrides only the rule that denied the
// requested path or name. Not here: storing grants (session/grant_store.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "pinfold/grant.h"
#include "pinfold/policy.h"

namespace pinfold::policy {

struct StandingGrant {
  Grant grant;  // passed check_grant()
  Origin origin;
};

// "grant 3, always, 2026-11-16"
Origin grant_origin(std::uint64_t number, const std::string& date);

// The builder's own rules, and: paths are absolute and normalised; neither "/" nor the home directory, nor an ancestor
// of it.
Result<void> check_grant(const Grant& grant, const Caller& caller);

// Names are added to the existing list, also to one from flags; a flag `--net none` stays. A path that no longer
// exists is skipped.
void add_grants(Policy& policy, const std::vector<StandingGrant>& grants);

// The user granted these paths while the command waited: at its own path each overrides every rule. Hidden and
// protected names below it stay so. Of two grants, the wider one holds: with read access to a file and then write
// access to its directory, the file is writable.
Result<void> add_live_grants(Policy& policy, const std::vector<Grant>& grants, HostView& host);

}  // namespace pinfold::policy
