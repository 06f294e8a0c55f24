// access_check.h: may this path be read or written? The policy's decision, as an error with its rule and fix.
// Invariant: decides about canonical paths only, by policy::Scope, as a run does, but stricter in three ways: paths
// that a preset shows only so that programs run are excluded; protected and private names are compared without regard
// to case; paths that git ignores or that a preset marks private follow `ignored`.
// Not here: resolving names (walk.h), finding ignored paths (ignore_finder.h).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/files.h"
#include "policy/scope.h"

namespace pinfold::files {

class AccessCheck {
 public:
  using Asker = std::function<bool(const FileApprovalRequest&)>;

  static Result<AccessCheck> build(const Policy& policy, HostView& host);
  void set_asker(Asker asker) { asker_ = std::move(asker); }

  const policy::Scope& scope() const { return open_ ? *open_ : strict_; }
  const Policy& policy() const { return strict_.policy(); }
  Ignored ignored() const { return policy().ignored; }

  bool shows(std::string_view canonical) const { return scope().look_up(canonical).access != Access::kHide; }
  // kRefused, with the rule and the fix. `spelled`: the path as the caller wrote it.
  Result<void> check(const std::string& canonical, Access wanted, std::string_view spelled) const;
  Error refusal(const std::string& canonical, Access wanted, std::string_view spelled) const;

  // The preset's pattern that makes it private, or null.
  const HidePattern* private_by(std::string_view canonical) const;
  // Does a rule, other than a workspace, name this path or a directory of it that is at least `claim` bytes long?
  bool named(std::string_view canonical, std::size_t claim) const;
  // Is a rule that shows something strictly below this directory?
  bool rule_below(std::string_view canonical) const;

  // For a path that is git-ignored or private, because of `reason`: allowed, approved, or refused.
  Result<void> check_override(const std::string& canonical, Access wanted, const std::string& reason,
                              std::string_view spelled);

 private:
  explicit AccessCheck(policy::Scope strict) : strict_(std::move(strict)) {}
  std::optional<Error> other_case(const std::string& canonical, Access wanted, std::string_view spelled) const;

  policy::Scope strict_;
  std::optional<policy::Scope> open_;  // without the preset's patterns, where `ignored` is not "deny"
  std::vector<std::string> below_;     // paths of all rules that show something, sorted
  Asker asker_;
  std::set<std::pair<std::string, Access>> approved_;
};

}  // namespace pinfold::files
