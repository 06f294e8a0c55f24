// access_check.h: may this place be read or written? The policy's own answer, in words.
// Invariant: decides about canonical paths only, by policy::Scope, as a run does; stricter in three things: what a
// preset shows so that programs run is left out, a protected or private name counts whatever its case, and what git
// ignores or a preset takes for private follows `ignored`. Not here: where a name leads (walk.h), what git ignores
// (ignore_finder.h).
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

class Gate {
 public:
  using Asker = std::function<bool(const FileQuestion&)>;

  static Result<Gate> build(const Policy& policy, HostView& host);
  void set_asker(Asker asker) { asker_ = std::move(asker); }

  const policy::Scope& scope() const { return open_ ? *open_ : strict_; }
  const Policy& policy() const { return strict_.policy(); }
  Ignored ignored() const { return policy().ignored; }

  bool shows(std::string_view canonical) const { return scope().look(canonical).access != Access::kHide; }
  // kRefused, with the rule and what would help. `spelled`: as it was asked for.
  Result<void> check(const std::string& canonical, Access wanted, std::string_view spelled) const;
  Error refusal(const std::string& canonical, Access wanted, std::string_view spelled) const;

  // The preset's pattern that makes it private, or null.
  const HidePattern* private_by(std::string_view canonical) const;
  // Did somebody name this path, or a directory at or below the first `claim` bytes of it, and not just a workspace?
  bool named(std::string_view canonical, std::size_t claim) const;
  // Is a rule that shows something strictly below this directory?
  bool rule_below(std::string_view canonical) const;

  // For what is git-ignored or private, because of `reason`: allowed, or asked and allowed, or why not.
  Result<void> check_override(const std::string& canonical, Access wanted, const std::string& reason,
                              std::string_view spelled);

 private:
  explicit Gate(policy::Scope strict) : strict_(std::move(strict)) {}
  std::optional<Error> other_case(const std::string& canonical, Access wanted, std::string_view spelled) const;

  policy::Scope strict_;
  std::optional<policy::Scope> open_;  // without the preset's patterns, where `ignored` is not "deny"
  std::vector<std::string> below_;     // paths of all rules that show something, sorted
  Asker asker_;
  std::set<std::pair<std::string, Access>> agreed_;
};

}  // namespace pinfold::files
