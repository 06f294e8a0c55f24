// scope.h: a live scope: what a policy says about each path of this host now, and roots added as the work goes on.
// Invariant: answers what a run under policy() would obey; a root that is added changes no answer outside of it, and a
// root that is refused changes nothing at all.
// Not here: enforcing (run.h). One scope is for one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pinfold/export.h"
#include "pinfold/policy.h"

namespace pinfold {

struct PathDecision {
  std::string path;  // canonical: what the name leads to on the host; it need not exist
  Access access = Access::kHide;
  std::string rule;        // the rule that decides: "protected name .vscode (preset moderate)"
  Origin origin;           // where that rule came from; empty where no rule speaks about it
  std::string allow_with;  // the one flag that would allow more, or empty
};

class PINFOLD_API Scope {
 public:
  // Looks every path of the policy up on the host. Refused: a path that is missing, a workspace that holds the home
  // directory, a symlink that a sandboxed command could have made.
  static Result<Scope> open(const Policy& policy) noexcept;
  Scope(Scope&& other) noexcept;
  Scope& operator=(Scope&& other) noexcept;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();

  // `path` as a person writes it: absolute, below "~", or relative to the working directory that open() found.
  Result<PathDecision> decide(std::string_view path) const noexcept;

  // One more root, with the policy's access, protections and patterns for workspaces.
  Result<void> add_workspace(std::string_view directory) noexcept;

  // With the roots that were added: what the next run should be given.
  const Policy& policy() const noexcept;

 private:
  struct Body;
  explicit Scope(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> body_;
};

}  // namespace pinfold
