// apply_grants.cc: selects the permanent grants of a run.
#include "session/apply_grants.h"

#include <algorithm>

#include "policy/grants.h"
#include "policy/resolver.h"

namespace pinfold::session {
namespace {

void add_to(Policy& policy, const std::vector<std::string>& roots, const std::vector<StoredGrant>& all,
            HostView& host) {
  std::vector<policy::StandingGrant> standing;
  for (const StoredGrant& one : all) {
    if (one.project && std::find(roots.begin(), roots.end(), *one.project) == roots.end()) continue;
    if (state_of(one.grant, host) != GrantState::kInForce) continue;
    standing.push_back({one.grant, policy::grant_origin(one.number, date_of(one))});
  }
  policy::add_grants(policy, standing);
}

}  // namespace

GrantState state_of(const Grant& grant, HostView& host) {
  if (grant.kind == Grant::Kind::kNetwork) return GrantState::kInForce;
  const auto found = host.resolve(grant.resource);
  if (!found) return GrantState::kGone;
  return found->canonical == grant.resource ? GrantState::kInForce : GrantState::kLeadsElsewhere;
}

std::vector<std::string> project_roots(const Policy& policy, HostView& host) {
  std::vector<std::string> out;
  for (const std::string& workspace : policy.workspaces)
    out.push_back(policy::canonical_path(workspace, host).value_or(workspace));
  return out;
}

std::vector<Error> apply_grants(settings::LoadedPolicy& loaded, const Caller& caller, HostView& host) {
  const GrantStore store(caller, host);
  if (!store.exists()) return {};
  const std::vector<std::string> roots = project_roots(loaded.policy, host);
  const std::vector<std::string> own = loaded.own ? project_roots(*loaded.own, host) : std::vector<std::string>{};
  GrantScope scope{true, roots};
  scope.projects.insert(scope.projects.end(), own.begin(), own.end());
  GrantListing listing = store.list(scope);
  if (!listing.problems.empty()) return std::move(listing.problems);
  add_to(loaded.policy, roots, listing.grants, host);
  if (loaded.own) add_to(*loaded.own, own, listing.grants, host);
  return {};
}

}  // namespace pinfold::session
