// scope.cc: the one function that decides about a path.
// Invariant: one pass over the path, one look-up for each component, however many rules there are.
// Not here: how rules become canonical (scope_build.cc).
#include "policy/scope.h"

#include "base/paths.h"
#include "base/text.h"
#include "policy/rank.h"

namespace pinfold::policy {

using std::string_view;

void Scope::index() {
  std::size_t size = 16;
  while (size < rules_.size() * 2) size *= 2;
  slots_.assign(size, 0);
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    std::size_t slot = paths::hash(rules_[i].path) & (size - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (size - 1);
    slots_[slot] = i + 1;
  }
}

std::int32_t Scope::find(string_view path, std::uint64_t hash) const {
  if (slots_.empty()) return -1;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask)
    if (rules_[slots_[slot] - 1].path == path) return static_cast<std::int32_t>(slots_[slot] - 1);
  return -1;
}

const ScopeRule* Scope::at(string_view canonical) const {
  const std::int32_t found = find(canonical, paths::hash(canonical));
  return found < 0 ? nullptr : &rules_[static_cast<std::size_t>(found)];
}

const ScopeRule* Scope::above(string_view canonical) const {
  if (canonical == "/") return nullptr;
  std::int32_t deepest = find("/", paths::hash("/"));
  std::uint64_t hash = paths::kHashStart;
  for (std::size_t i = 0; i < canonical.size(); ++i) {
    if (i > 0 && canonical[i] == '/') {
      const std::int32_t found = find(canonical.substr(0, i), hash);
      if (found >= 0) deepest = found;
    }
    hash = paths::hash_step(hash, canonical[i]);
  }
  return deepest < 0 ? nullptr : &rules_[static_cast<std::size_t>(deepest)];
}

namespace {

SandboxDirectory sandbox_directory(string_view path, std::size_t& length, TmpMode tmp) {
  const auto in = [&](string_view top) {
    length = top.size();
    return paths::at_or_beneath(path, top);
  };
  if (in("/proc")) return SandboxDirectory::kProc;
  if (in("/dev/shm")) return SandboxDirectory::kTmp;
  if (in("/dev")) return SandboxDirectory::kDev;
  if (tmp == TmpMode::kPrivate && (in("/tmp") || in("/var/tmp"))) return SandboxDirectory::kTmp;
  return SandboxDirectory::kNone;
}

}  // namespace

ScopeLookup Scope::look_up(string_view path) const {
  ScopeLookup out;
  const ScopeRule* outermost_write = nullptr;
  const auto consider = [&](std::int32_t found) {
    if (found < 0) return;
    out.rule = found;
    const ScopeRule& rule = rules_[static_cast<std::size_t>(found)];
    if (rule.access == Access::kWrite && outermost_write == nullptr) outermost_write = &rule;
  };
  consider(find("/", paths::hash("/")));
  std::uint64_t hash = paths::kHashStart;
  for (std::size_t i = 0; path.size() > 1 && i <= path.size(); ++i) {
    if (i > 0 && (i == path.size() || path[i] == '/')) consider(find(path.substr(0, i), hash));
    if (i < path.size()) hash = paths::hash_step(hash, path[i]);
  }
  const ScopeRule* rule = out.rule < 0 ? nullptr : &rules_[static_cast<std::size_t>(out.rule)];
  if (rule != nullptr) {
    out.access = rule->access;
    out.claim = rule->path.size();
  }
  std::size_t own = 0;
  const SandboxDirectory inside = sandbox_directory(path, own, policy_.tmp);
  if (inside != SandboxDirectory::kNone && out.claim < own) {
    out.access = Access::kHide;
    out.sandbox_directory = inside;
    out.claim = own;
    return out;
  }
  if (rule == nullptr) return out;

  // A pattern that matches a path counts as a hide rule for that path, a protected name as a read rule.
  const auto outranks_rule = [&](std::size_t length, int ranked) {
    return length > rule->path.size() || (length == rule->path.size() && ranked >= rank(*rule));
  };
  const auto offer_pattern = [&](std::int32_t pattern, std::size_t length) {
    if (pattern < 0 || !outranks_rule(length, rank(policy_.patterns[static_cast<std::size_t>(pattern)].origin))) return;
    out.access = Access::kHide;
    out.pattern = pattern;
    out.claim = length;
  };
  const auto each_prefix_below = [&](string_view top, auto&& visit) {
    for (std::size_t i = top == "/" ? 1 : top.size() + 1; i <= path.size(); ++i)
      if (i == path.size() || path[i] == '/') visit(path.substr(0, i));
  };
  if (patterns_.any_relative() && out.access != Access::kHide) {
    each_workspace_around(path, [&](const std::string& workspace) {
      if (path == workspace) return;
      each_prefix_below(workspace, [&](string_view prefix) {
        offer_pattern(patterns_.match(paths::basename(prefix), paths::relative(prefix, workspace)), prefix.size());
      });
    });
  }
  if (patterns_.any_absolute() && path.size() > 1 && rule->access != Access::kHide)
    each_prefix_below("/", [&](string_view prefix) { offer_pattern(patterns_.match_absolute(prefix), prefix.size()); });

  if (out.access == Access::kWrite) {
    const ProtectedNameIndex::Match hit = names_.find(path, outermost_write->path);
    if (hit.rule != ProtectedNameIndex::kNone && outranks_rule(hit.end, hit.rank)) {
      out.access = Access::kRead;
      out.protection = hit.rule;
      out.claim = hit.end;
    }
  }
  return out;
}

Decision Scope::decide(const std::string& canonical) const {
  const ScopeLookup lookup = look_up(canonical);
  Decision out;
  out.access = lookup.access;
  if (lookup.rule >= 0) out.rule = &rules_[static_cast<std::size_t>(lookup.rule)];
  if (lookup.protection >= 0) out.protection = &policy_.protect[static_cast<std::size_t>(lookup.protection)];
  if (lookup.pattern >= 0) out.pattern = &policy_.patterns[static_cast<std::size_t>(lookup.pattern)];

  const Origin* by = nullptr;
  const auto says = [&](string_view what, const std::string& subject, const Origin& origin) {
    by = &origin;
    out.reason = std::string(what) + " " + text::shown(subject) + " (" + text::shown(origin.where) + ")";
  };
  if (lookup.sandbox_directory == SandboxDirectory::kTmp) {
    out.reason = "the sandbox has its own " + canonical.substr(0, lookup.claim) + "; the host's is not shown";
  } else if (lookup.sandbox_directory != SandboxDirectory::kNone) {
    out.reason = "the sandbox has its own " + canonical.substr(0, lookup.claim);
    return out;
  } else if (out.pattern != nullptr) {
    says("pattern", out.pattern->glob, out.pattern->origin);
  } else if (out.protection != nullptr) {
    says("protected name", out.protection->name, out.protection->origin);
  } else if (out.rule == nullptr) {
    out.reason = "no rule grants this path";
  } else if (out.rule->own) {
    out.reason = out.rule->origin.where + ", which no sandbox shows";
    return out;
  } else if (out.rule->origin.source == Source::kFlag && !is_grant(out.rule->origin) && !out.rule->workspace) {
    by = &out.rule->origin;
    out.reason = text::shown(out.rule->origin.where) + " " + text::shown(out.rule->given);
  } else {
    const string_view verb = out.rule->workspace           ? "workspace"
                             : out.access == Access::kHide ? "hide"
                             : out.access == Access::kRead ? "read"
                                                           : "write";
    says(verb, out.rule->given, out.rule->origin);
  }

  // A flag cannot override another flag for the same path: within one source the stricter one wins.
  const bool final_word =
      by != nullptr && by->source >= Source::kFlag && !is_grant(*by) && lookup.claim == canonical.size() &&
      !(out.rule != nullptr && out.rule->workspace && out.pattern == nullptr && out.protection == nullptr);
  if (final_word || out.access == Access::kWrite || canonical == "/") return out;
  if (out.access == Access::kHide)
    out.allow_with = "--read " + text::shell_word(canonical);
  else if (!paths::at_or_beneath(canonical, "/sys"))
    out.allow_with = "--write " + text::shell_word(canonical);
  return out;
}

}  // namespace pinfold::policy
