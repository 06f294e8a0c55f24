// scope.h: decides about paths of this host by a policy, to which workspaces can be added later.
// Invariant: decisions equal the enforcement of a run under policy(); an added workspace changes no decision outside of
// it, and a refused workspace changes nothing.
// Not here: enforcement (run.h). One scope must be used by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pinfold/export.h"
#include "pinfold/policy.h"

namespace pinfold {

struct PathDecision {
  std::string path;  // canonical, symlinks resolved; it need not exist
  Access access = Access::kHide;
  std::string rule;        // the rule that decides: "protected name .vscode (preset moderate)"
  Origin origin;           // of that rule; empty if no rule matches
  std::string allow_with;  // the one flag that would allow more, or empty
};

class PINFOLD_API Scope {
 public:
  // Resolves every path of the policy on the host. Fails if a path is missing, if a workspace contains the home
  // directory, or if a path contains a symlink that a sandboxed command could have made.
  static Result<Scope> open(const Policy& policy) noexcept;
  Scope(Scope&& other) noexcept;
  Scope& operator=(Scope&& other) noexcept;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();

  // `path` is absolute, begins with "~", or is relative to the working directory at the time of open().
  Result<PathDecision> decide(std::string_view path) const noexcept;

  // Adds a workspace with the policy's access, protected names and patterns for workspaces.
  Result<void> add_workspace(std::string_view directory) noexcept;

  // The policy with the added workspaces; use it for the next run.
  const Policy& policy() const noexcept;

 private:
  struct Body;
  explicit Scope(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold
