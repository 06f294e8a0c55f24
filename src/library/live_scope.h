// live_scope.h: a scope to which workspaces can be added, over any host.
// Invariant: add_workspace() changes no decision outside of the new root, or nothing at all.
// Not here: the public API (include/pinfold/scope.h), the decisions (policy/scope.h).
#pragma once

#include <string_view>

#include "base/host_view.h"
#include "pinfold/scope.h"
#include "policy/scope.h"

namespace pinfold::library {

class LiveScope {
 public:
  static Result<LiveScope> open(const Policy& policy, Caller caller, HostView& host);

  Result<PathDecision> decide(std::string_view path) const;
  Result<void> add_workspace(std::string_view directory);
  const Policy& policy() const { return scope_.policy(); }

 private:
  LiveScope(policy::Scope scope, Caller caller, HostView& host)
      : scope_(std::move(scope)), caller_(std::move(caller)), host_(&host) {}
  Result<std::string> absolute(std::string_view path) const;

  policy::Scope scope_;
  Caller caller_;
  HostView* host_;
};

}  // namespace pinfold::library
