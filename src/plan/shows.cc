// shows.cc: path rules become shown and hidden paths.
// Invariant: a rule that grants no more than the directory around it makes no step, so redundant rules cost nothing.
// Not here: patterns and protected names (search.cc), the home directory (home.cc).
#include <algorithm>
#include <array>

#include "base/paths.h"
#include "plan/draft.h"

namespace pinfold::plan {
namespace {

using policy::ScopeRule;
using std::string_view;

// File systems through which the kernel, devices or other processes can be reached.
bool is_kernel_type(string_view type) {
  constexpr auto kTypes =
      std::to_array<string_view>({"proc", "devtmpfs", "devpts", "securityfs", "debugfs", "tracefs", "bpf", "mqueue",
                                  "fusectl", "configfs", "efivarfs", "pstore", "binfmt_misc"});
  return type.starts_with("cgroup") || std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

// The access that the sandbox would give here if this path had no rule.
Access parent_access(const Draft& draft, const std::string& path) {
  return path == "/" ? Access::kHide : draft.scope.look_up(paths::parent(path)).access;
}

// The kernel's own permissions deny it already; a mask would only cost a mount.
bool denied_anyway(Draft& draft, const ScopeRule& rule) {
  if (rule.origin.source != Source::kPreset) return false;
  if (draft.identity.uid != 0 && !draft.host.readable(rule.path) &&
      (rule.kind != HostKind::kDirectory || !draft.host.executable(rule.path)))
    return true;
  // An empty directory below /sys is a place where nothing is mounted; nothing that comes later reaches the sandbox.
  if (rule.kind != HostKind::kDirectory || !paths::beneath(rule.path, "/sys")) return false;
  auto entries = draft.host.list(rule.path);
  return entries && entries->empty();
}

// The directories between the outermost writable root and the path, shallow to deep.
std::vector<std::string> pins_above(const Draft& draft, const std::string& path) {
  std::vector<std::string> pins;
  std::vector<std::string> found;
  for (string_view at = paths::parent(path); at.size() > 1; at = paths::parent(at)) {
    const ScopeRule* rule = draft.scope.at(at);
    if (rule != nullptr && rule->access == Access::kWrite) found = pins;
    pins.emplace_back(at);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

void add_rule(Draft& draft, const ScopeRule& rule) {
  const Access around = parent_access(draft, rule.path);
  if (rule.own) {
    if (around == Access::kHide || rule.kind == HostKind::kMissing) return;
    HidePath hide{rule.path, entry_kind(rule.kind), {}, true, {}};
    if (around == Access::kWrite) hide.pins = pins_above(draft, rule.path);
    draft.paths.push_back(Draft::step(std::move(hide), Need::kRequired, rule.origin));
    return;
  }
  if (rule.access == Access::kHide) {
    if (around == Access::kHide || denied_anyway(draft, rule)) return;
    draft.paths.push_back(Draft::step(HidePath{rule.path, entry_kind(rule.kind), {}}, Need::kRequired, rule.origin));
    return;
  }
  // A pattern of the same rank hides the path; where it would be visible at all, the search hides it.
  if (draft.scope.look_up(rule.path).access == Access::kHide) return;
  const bool root = rule.access == Access::kWrite && rule.kind == HostKind::kDirectory;
  if (around == rule.access && !(root && draft.scope.is_workspace(rule.path))) return;
  if (root) draft.roots.push_back(rule.path);
  draft.paths.push_back(
      Draft::step(ShowPath{rule.path, rule.path, draft.view(rule.access), entry_kind(rule.kind), Ensure::kExists, {}},
                  Need::kRequired, rule.origin));
}

}  // namespace

void add_shows(Draft& draft) {
  for (const ScopeRule& rule : draft.scope.rules()) add_rule(draft, rule);

  // A path as the user types it must work inside: /bin -> usr/bin is made up where no shown directory brings it along.
  for (const HostLink& link : draft.scope.links()) {
    if (draft.visible(paths::parent(link.at))) continue;
    auto target = draft.host.read_link(link.at);
    if (target)
      draft.paths.push_back(Draft::step(MakeLink{link.at, std::move(*target)}, Need::kRequired, draft.preset));
  }

  for (const HostMount& mount : draft.host.kernel_mounts()) {
    if (!is_kernel_type(mount.type)) continue;
    const auto in = [&](string_view top) { return paths::at_or_beneath(mount.at, top); };
    if (in("/proc") || in("/dev") || in("/sys") || !draft.visible(mount.at)) continue;
    const ScopeRule* own = draft.scope.at(mount.at);
    if (own != nullptr && own->origin.source != Source::kPreset) continue;
    draft.paths.push_back(Draft::step(HidePath{mount.at, EntryKind::kDirectory, {}}, Need::kRequired, draft.preset));
  }
}

}  // namespace pinfold::plan
