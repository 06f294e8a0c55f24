// scope.h: a policy's path rules on canonical paths, and the one function that decides about a path.
// Invariant: the most specific rule wins; at equal depth a later source overrides, and within one source the stricter
// wins; no rule means hidden. `policy why`, the file tools and the plan compiler all call decide(). Not here: enforcing
// anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_view.h"
#include "base/paths.h"
#include "base/text_map.h"
#include "pinfold/policy.h"
#include "policy/patterns.h"
#include "policy/protected_name_index.h"

namespace pinfold::policy {

struct ScopeRule {
  std::string path;   // canonical
  std::string given;  // as written
  Access access = Access::kHide;
  HostKind kind = HostKind::kDirectory;
  Origin origin;
  bool workspace = false;
  bool own = false;  // one of Pinfold's own directories: hidden, and no other rule shows it; it need not exist
};

struct Decision {
  Access access = Access::kHide;
  const ScopeRule* rule = nullptr;          // null: no rule grants it
  const ProtectRule* protection = nullptr;  // set when a protected name turned write into read
  const HidePattern* pattern = nullptr;     // set if a pattern hides it
  std::string reason;      // "no rule grants this path", "--read /x", "protected name .vscode (preset moderate)"
  std::string allow_with;  // the one flag that would allow more, or empty
};

// Directories that the sandbox makes for itself: the host's are not visible there unless a rule names a path in them.
enum class SandboxDirectory { kNone, kTmp, kProc, kDev };

// The result of decide() as indexes, without texts.
struct ScopeLookup {
  Access access = Access::kHide;
  std::int32_t rule = -1;        // index into rules()
  std::int32_t protection = -1;  // index into policy().protect
  std::int32_t pattern = -1;     // index into policy().patterns
  std::size_t claim = 0;         // length of the path that the deciding rule, name or pattern names
  SandboxDirectory sandbox_directory = SandboxDirectory::kNone;
};

class Scope {
 public:
  // Resolves every path rule on the host. Refuses: a missing path that a user named; a symlink inside a writable root
  // that leads out of it; a workspace that is the home directory, above it, or "/".
  static Result<Scope> build(const Policy& policy, HostView& host);

  // `canonical` must not contain symlinks; it need not exist.
  Decision decide(const std::string& canonical) const;
  ScopeLookup look_up(std::string_view canonical) const;
  // The rule for exactly this path, or null.
  const ScopeRule* at(std::string_view canonical) const;
  // The nearest rule strictly above this path, or null.
  const ScopeRule* above(std::string_view canonical) const;

  // One rule per path, shallow to deep, then by name.
  const std::vector<ScopeRule>& rules() const { return rules_; }
  const std::vector<std::string>& workspaces() const { return workspaces_; }  // canonical
  bool is_workspace(std::string_view canonical) const { return workspace_index_.contains(canonical); }
  // Calls visit(workspace) for each one at or above the path.
  template <typename Visit>
  void each_workspace_around(std::string_view canonical, Visit&& visit) const {
    constexpr std::size_t kFew = 4;  // then comparing is quicker than looking up
    if (workspaces_.size() <= kFew) {
      for (const std::string& workspace : workspaces_)
        if (paths::at_or_beneath(canonical, workspace)) visit(workspace);
      return;
    }
    paths::each_at_or_above(canonical, [&](std::string_view prefix) {
      const auto found = workspace_index_.find(prefix);
      if (found != workspace_index_.end()) visit(workspaces_[found->second]);
    });
  }
  const Policy& policy() const { return policy_; }
  // Every symlink on the way to a visible path, each once.
  const std::vector<HostLink>& links() const { return links_; }
  const PatternSet& patterns() const { return patterns_; }
  const ProtectedNameIndex& names() const { return names_; }

 private:
  class Builder;
  void index();
  std::int32_t find(std::string_view path, std::uint64_t hash) const;

  Policy policy_;
  std::vector<ScopeRule> rules_;
  std::vector<std::string> workspaces_;
  TextMap<std::size_t> workspace_index_;
  std::vector<HostLink> links_;
  PatternSet patterns_;
  ProtectedNameIndex names_;
  std::vector<std::uint32_t> slots_;  // open addressing: index into rules_ + 1
};

}  // namespace pinfold::policy
