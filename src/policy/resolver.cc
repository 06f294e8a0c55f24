// resolver.cc: canonical paths with few questions to the host: below a directory known to be plain, lstat is enough.
// Invariant: the same answer as HostView::resolve.
// Not here: what may be a symlink (scope.cc).
#include "policy/resolver.h"

#include "base/paths.h"
#include "base/text.h"

namespace pinfold::policy {

Resolver::Place Resolver::place_of(HostKind kind) {
  switch (kind) {
    case HostKind::kDirectory: return Place::kDirectory;
    case HostKind::kSymlink: return Place::kLinked;
    default: return Place::kMissing;
  }
}

Resolver::Place Resolver::place(std::string_view path) {
  if (path == "/") return Place::kDirectory;
  std::string key(path);
  const auto it = known_.find(key);
  if (it != known_.end()) return it->second;
  Place found = place(paths::parent(path));
  if (found == Place::kDirectory) found = place_of(host_.kind(key));
  known_.emplace(std::move(key), found);
  return found;
}

Result<HostPathInfo> Resolver::resolve(const std::string& path) {
  if (path == "/") return HostPathInfo{"/", HostKind::kDirectory, {}};
  const Place above = place(paths::parent(path));
  if (above == Place::kLinked) return host_.resolve(path);
  if (above == Place::kMissing)
    return fail(ErrorKind::kNotFound, text::shown(paths::parent(path)) + ": no such directory");
  const HostKind kind = host_.kind(path);
  known_.emplace(path, place_of(kind));
  if (kind == HostKind::kMissing) return fail(ErrorKind::kNotFound, text::shown(path) + ": no such file or directory");
  if (kind == HostKind::kSymlink) return host_.resolve(path);
  return HostPathInfo{path, kind, {}};
}

Result<std::string> canonical_path(const std::string& absolute, HostView& host) {
  constexpr int kMostLinks = 40;  // as the kernel's own bound
  std::string rest = absolute;
  std::string at;  // canonical so far; "" is "/"
  int followed = 0;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    rest = slash == std::string::npos ? std::string() : rest.substr(slash + 1);
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      at.erase(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = at + "/" + name;
    const auto target = host.kind(next) == HostKind::kSymlink ? host.read_link(next) : fail(ErrorKind::kNotFound, "");
    if (!target || target->empty()) {
      at = next;
      continue;
    }
    if (++followed > kMostLinks) return fail(ErrorKind::kInvalid, text::shown(absolute) + ": too many symbolic links");
    if ((*target)[0] == '/') at.clear();
    rest = *target + "/" + rest;
  }
  return at.empty() ? "/" : at;
}

}  // namespace pinfold::policy
