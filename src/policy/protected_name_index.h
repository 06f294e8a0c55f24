// protected_name_index.h: finds the protected name that covers a path in a writable root.
// Invariant: a name matches whole components; names inside node_modules are not protected, so that installs work.
// Not here: the list of names (protected_name_list.h), whether they exist (plan/protect.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_map.h"
#include "pinfold/policy.h"

namespace pinfold::policy {

// Dependency trees are deleted and made anew by every install: pinning directories in them would break that.
inline constexpr std::string_view kDependencies = "node_modules";

class ProtectedNameIndex {
 public:
  static constexpr std::int32_t kNone = -1;
  struct Name {
    std::string rest;  // "hooks" for ".git/hooks", empty for ".vscode"
    std::int32_t rule;
    int rank;
  };
  struct Absolute {
    std::string path;  // canonical
    std::int32_t rule;
    int rank;
  };
  struct Match {
    std::int32_t rule = kNone;
    std::size_t end = 0;  // length of the protected path
    int rank = 0;
  };

  // A relative rule. One that is already there from an earlier source is replaced.
  void add(std::string_view name, std::int32_t rule, int rank);
  void add_absolute(std::string canonical, std::int32_t rule, int rank);

  bool any_relative() const { return !by_first_.empty(); }
  const std::vector<Absolute>& absolute() const { return absolute_; }
  // The names that begin with this component, or null.
  const std::vector<Name>* starting_with(std::string_view component) const;

  // The deepest protected path at or above `path` and strictly below the writable root.
  Match find(std::string_view path, std::string_view root) const;

 private:
  TextMap<std::vector<Name>> by_first_;
  std::vector<Absolute> absolute_;
  TextMap<std::vector<std::size_t>> absolute_at_;  // by path, into absolute_
};

}  // namespace pinfold::policy
