// resolver.h: canonical paths with few queries to the host.
// Invariant: the same answer as HostView::resolve; a path costs one query unless a symlink is on the way.
// Not here: which symlinks are allowed (scope_build.cc).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/host_view.h"

namespace pinfold::policy {

// The canonical path of a name: symlinks followed (dangling ones, too), missing components as written. An
// error only for too many links. `links`, unless null, gets the canonical path of each symlink on the way.
Result<std::string> canonical_path(const std::string& absolute, HostView& host,
                                   std::vector<std::string>* links = nullptr);

class Resolver {
 public:
  explicit Resolver(HostView& host) : host_(host) {}

  Result<HostPathInfo> resolve(const std::string& path);

 private:
  // A directory that no symlink leads to, a path that cannot have children, or one that needs the whole walk.
  enum class PathClass { kDirectory, kMissing, kLinked };
  PathClass classify(std::string_view path);
  static PathClass classify(HostKind kind);

  HostView& host_;
  std::unordered_map<std::string, PathClass> known_;
};

}  // namespace pinfold::policy
