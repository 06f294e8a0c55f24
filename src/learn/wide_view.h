// wide_view.h: the policy of a watched command: everything but secrets is readable.
// Invariant: outside of the workspaces only the paths that are writable in the base policy are writable; no network
// destination is added; paths that the user hid stay hidden.
// Not here: which paths are secrets (secrets.h), which accesses are reported (the plan's Observe::as_if).
#pragma once

#include "learn/secrets.h"
#include "pinfold/plan.h"
#include "policy/scope.h"

namespace pinfold::learn {

// `base` is the policy to learn on top of, `plan` its compiled plan.
Policy wide_view(const policy::Scope& base, const Plan& plan, const Secrets& secrets, HostView& host);

// Makes `wide` report the accesses that `base` would deny. Observation becomes a required step, because learning needs
// it.
void watch(Plan& wide, const Plan& base);

}  // namespace pinfold::learn
