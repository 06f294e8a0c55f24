// resolver.h: canonical paths with few questions to the host.
// Invariant: the same answer as HostView::resolve; a path costs one question unless a symlink is on the way.
// Not here: what may be a symlink (scope.cc).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/host_view.h"

namespace pinfold::policy {

// What a name leads to, as far as it exists: symlinks followed (dangling ones, too), the rest as it is written. An
// error only for too many links.
Result<std::string> canonical_path(const std::string& absolute, HostView& host);

class Resolver {
 public:
  explicit Resolver(HostView& host) : host_(host) {}

  Result<HostPathInfo> resolve(const std::string& path);

 private:
  // A directory that no symlink leads to, a path that cannot have children, or one that needs the whole walk.
  enum class Place { kDirectory, kMissing, kLinked };
  Place place(std::string_view path);
  static Place place_of(HostKind kind);

  HostView& host_;
  std::unordered_map<std::string, Place> known_;
};

}  // namespace pinfold::policy
