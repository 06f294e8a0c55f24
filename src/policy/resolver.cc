// resolver.cc: canonical paths with few queries to the host: below a directory known to be plain, lstat is enough.
// Invariant: the same answer as HostView::resolve.
// Not here: which symlinks are allowed (scope_build.cc).
#include "policy/resolver.h"

#include "base/paths.h"
#include "base/text.h"

namespace pinfold::policy {

Resolver::PathClass Resolver::classify(HostKind kind) {
  switch (kind) {
    case HostKind::kDirectory: return PathClass::kDirectory;
    case HostKind::kSymlink: return PathClass::kLinked;
    default: return PathClass::kMissing;
  }
}

Resolver::PathClass Resolver::classify(std::string_view path) {
  if (path == "/") return PathClass::kDirectory;
  std::string key(path);
  const auto it = known_.find(key);
  if (it != known_.end()) return it->second;
  PathClass found = classify(paths::parent(path));
  if (found == PathClass::kDirectory) found = classify(host_.kind(key));
  known_.emplace(std::move(key), found);
  return found;
}

Result<HostPathInfo> Resolver::resolve(const std::string& path) {
  if (path == "/") return HostPathInfo{"/", HostKind::kDirectory, {}};
  const PathClass above = classify(paths::parent(path));
  if (above == PathClass::kLinked) return host_.resolve(path);
  if (above == PathClass::kMissing)
    return fail(ErrorKind::kNotFound, text::shown(paths::parent(path)) + ": no such directory");
  const HostKind kind = host_.kind(path);
  known_.emplace(path, classify(kind));
  if (kind == HostKind::kMissing) return fail(ErrorKind::kNotFound, text::shown(path) + ": no such file or directory");
  if (kind == HostKind::kSymlink) return host_.resolve(path);
  return HostPathInfo{path, kind, {}};
}

Result<std::string> canonical_path(const std::string& absolute, HostView& host, std::vector<std::string>* links) {
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
    if (links != nullptr) links->push_back(next);
    if ((*target)[0] == '/') at.clear();
    rest = *target + "/" + rest;
  }
  return at.empty() ? "/" : at;
}

}  // namespace pinfold::policy
