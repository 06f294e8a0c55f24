// live_scope.cc: compiles a new scope with the new workspace and compares it with the old one before it replaces it.
#include "library/live_scope.h"

#include <algorithm>
#include <utility>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "policy/resolver.h"

namespace pinfold::library {
namespace {

using text::shown;

bool same(const policy::ScopeRule& a, const policy::ScopeRule& b) {
  return a.access == b.access && a.workspace == b.workspace && a.kind == b.kind;
}

// The first rule outside of `root` that the other scope lacks or has differently.
const policy::ScopeRule* changed(const policy::Scope& from, const policy::Scope& to, const std::string& root) {
  for (const policy::ScopeRule& rule : from.rules()) {
    if (paths::at_or_beneath(rule.path, root)) continue;
    const policy::ScopeRule* other = to.at(rule.path);
    if (other == nullptr || !same(rule, *other)) return &rule;
  }
  return nullptr;
}

}  // namespace

Result<LiveScope> LiveScope::open(const Policy& policy, Caller caller, HostView& host) {
  PF_TRY(scope, policy::Scope::build(policy, host));
  return LiveScope(std::move(scope), std::move(caller), host);
}

Result<std::string> LiveScope::absolute(std::string_view path) const {
  if (path.empty()) return fail(ErrorKind::kInvalid, "the path is empty", "name a file or directory");
  if (path.find('\0') != std::string_view::npos)
    return fail(ErrorKind::kInvalid, "the path " + shown(path) + " contains a NUL byte", "remove it");
  if (path[0] == '/') return std::string(path);
  if (path == "~" || path.starts_with("~/")) {
    if (caller_.home.empty() || caller_.home[0] != '/')
      return fail(ErrorKind::kInvalid, shown(path) + ": the home directory is not known", "write an absolute path");
    return caller_.home + std::string(path.substr(1));
  }
  return paths::join(caller_.working_dir, path);
}

Result<PathDecision> LiveScope::decide(std::string_view path) const {
  PF_TRY(whole, absolute(path));
  PF_TRY(canonical, policy::canonical_path(whole, *host_));
  const policy::Decision found = scope_.decide(canonical);
  PathDecision out;
  out.path = std::move(canonical);
  out.access = found.access;
  out.rule = found.reason;
  out.allow_with = found.allow_with;
  if (found.pattern != nullptr)
    out.origin = found.pattern->origin;
  else if (found.protection != nullptr)
    out.origin = found.protection->origin;
  else if (found.rule != nullptr && scope_.look_up(out.path).sandbox_directory == policy::SandboxDirectory::kNone)
    out.origin = found.rule->origin;
  return out;
}

Result<void> LiveScope::add_workspace(std::string_view directory) {
  PF_TRY(whole, absolute(directory));
  // Not resolved here: Scope::build() must see, and refuse, a symlink that a sandboxed command could have made.
  std::string path = paths::normal(whole);
  Policy wider = scope_.policy();
  if (std::find(wider.workspaces.begin(), wider.workspaces.end(), path) != wider.workspaces.end()) return {};
  wider.workspaces.push_back(path);
  wider.paths.push_back({path, wider.workspace_access, Missing::kError, {Source::kApi, "add_workspace"}, true});
  PF_TRY(scope, policy::Scope::build(wider, *host_));
  PF_TRY(root, policy::canonical_path(path, *host_));
  // Symlinks in a new writable root are not trusted, so rules with paths through them would change.
  const policy::ScopeRule* lost = changed(scope_, scope, root);
  if (lost == nullptr) lost = changed(scope, scope_, root);
  if (lost != nullptr)
    return fail(ErrorKind::kRefused,
                "the workspace " + shown(root) + " would change the decision about " + shown(lost->path),
                "name a directory that no other rule goes through");
  scope_ = std::move(scope);
  return {};
}

}  // namespace pinfold::library
