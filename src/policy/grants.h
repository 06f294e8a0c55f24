// grants.h: what a person allowed for always, on top of a policy.
// Invariant: a grant gives what the matching flag would, and less than what is typed now: a flag overrules it. None
// opens the whole system or the whole home. Not here: where they are kept (session/grant_store.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace pinfold::policy
