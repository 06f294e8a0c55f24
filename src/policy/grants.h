// grants.h: what a person allowed for always, or while a command runs, on top of a policy.
// Invariant: a grant gives what the matching flag would. One for always gives less than what is typed now: a flag
// overrules it; none of these opens the whole system or the whole home. One that answers a question overrules what the
// question was about, and nothing else. Not here: where they are kept (session/grant_store.h).
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

// The builder's own rules, and: paths are whole and in their one spelling; neither "/" nor the home, nor what contains
// it.
Result<void> check_grant(const Grant& grant, const Caller& caller);

// Names add to the list there is, also to one that was typed; a typed `--net none` stays. A path that is gone is
// skipped.
void add_grants(Policy& policy, const std::vector<StandingGrant>& grants);

// The paths among these were granted while the command waited: at its own path each stands above every rule. Names that
// are hidden or protected below it stay so. Of two, the wider one holds: who may read a file, and then may write the
// directory around it, may write the file.
Result<void> add_live_grants(Policy& policy, const std::vector<Grant>& grants, HostView& host);

}  // namespace pinfold::policy
