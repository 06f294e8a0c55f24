// wide_view.h: the policy under which a command is watched: everything but secrets can be read.
// Invariant: nothing outside of the workspaces can be written that the base does not let be written; the network stays
// as it is; what the user hid stays hidden.
// Not here: what is a secret (secrets.h), what is told (plan's Observe::as_if).
#pragma once

#include "learn/secrets.h"
#include "pinfold/plan.h"
#include "policy/scope.h"

namespace pinfold::learn {

// `base` is the policy to learn on top of, `plan` what it was compiled to.
Policy wide_view(const policy::Scope& base, const Plan& plan, const Secrets& secrets, HostView& host);

// The plan `wide`, watched: told is what `base` would deny. Without being seen there is nothing to learn, so that is
// required.
void watch(Plan& wide, const Plan& base);

}  // namespace pinfold::learn
