// permissions.cc: the canonical form of permissions, and the comparison of two sets.
// Invariant: `grew` is false only if the earlier permissions cover every requested one.
// Not here: parsing (manifest.h), risk (risk.h).
#include "plugin/permissions.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/domain.h"
#include "base/paths.h"
#include "settings/trust.h"

namespace pinfold::plugin {
namespace {

using Json = nlohmann::json;

std::vector<RequestedText> sorted(const std::vector<RequestedText>& all) {
  std::vector<RequestedText> out = all;
  std::stable_sort(out.begin(), out.end(),
                   [](const RequestedText& a, const RequestedText& b) { return a.text < b.text; });
  out.erase(std::unique(out.begin(), out.end(),
                        [](const RequestedText& a, const RequestedText& b) { return a.text == b.text; }),
            out.end());
  return out;
}

std::string one_spelling(const std::string& rule) {
  const auto parsed = parse_rule(rule, {});
  return parsed ? print_rule(*parsed) : rule;
}

std::string normal_path(const std::string& path) {
  if (path.starts_with("~")) return path.size() > 1 ? "~" + paths::normal(path.substr(1)) : path;
  return path.starts_with('/') ? paths::normal(path) : path;
}

Json texts(const std::vector<RequestedText>& all) {
  Json out = Json::array();
  for (const RequestedText& one : all) out.push_back(one.text);
  return out;
}

bool path_below(std::string_view path, std::string_view parent) {
  return path == parent || (path.size() > parent.size() && path.starts_with(parent) && path[parent.size()] == '/');
}

// Do the earlier rules grant everything that this rule grants?
bool network_covered(const std::string& rule, const Permissions& before) {
  for (const RequestedText& one : before.network)
    if (one.text == rule) return true;
  const auto now = parse_rule(rule, {});
  if (!now) return false;
  if (now->action == RuleAction::kDeny) return true;
  if (now->kind != DomainKind::kName) return false;
  std::vector<DomainRule> rules;
  for (const RequestedText& one : before.network)
    if (auto parsed = parse_rule(one.text, {})) rules.push_back(std::move(*parsed));
  const std::vector<std::uint16_t> given = granted_ports(rules, now->name);
  return std::includes(given.begin(), given.end(), now->ports.begin(), now->ports.end());
}

bool covered(const Item& item, const Permissions& before, const std::set<Item>& items) {
  if (items.contains(item)) return true;
  switch (item.kind) {
    case PermissionKind::kNetwork: return network_covered(item.what, before);
    case PermissionKind::kRead:
    case PermissionKind::kWrite:
      return std::any_of(before.filesystem.begin(), before.filesystem.end(), [&](const RequestedPath& one) {
        return path_below(item.what, one.path) &&
               (item.kind == PermissionKind::kRead || one.access == FileAccess::kReadWrite);
      });
    case PermissionKind::kShell: return item.what.empty() && before.shell.has_value();
    default: return false;
  }
}

}  // namespace

Permissions canonical(const Permissions& requested) {
  Permissions out = requested;
  for (RequestedText& rule : out.network) rule.text = one_spelling(rule.text);
  out.network = sorted(out.network);
  std::map<std::string, RequestedPath> by_path;
  for (RequestedPath path : requested.filesystem) {
    path.path = normal_path(path.path);
    const auto [at, is_new] = by_path.try_emplace(path.path, path);
    if (!is_new && path.access > at->second.access) at->second = path;
  }
  out.filesystem.clear();
  for (auto& [path, one] : by_path) out.filesystem.push_back(std::move(one));
  out.environment = sorted(out.environment);
  out.secrets = sorted(out.secrets);
  if (out.shell) out.shell->commands = sorted(out.shell->commands);
  return out;
}

std::string canonical_json(const Permissions& requested) {
  const Permissions all = canonical(requested);
  Json out = Json::object();
  if (!all.network.empty()) out["network"] = texts(all.network);
  for (const RequestedPath& one : all.filesystem)
    out["filesystem"].push_back(
        {{"path", one.path}, {"access", one.access == FileAccess::kRead ? "read" : "read-write"}});
  if (!all.environment.empty()) out["environment"] = texts(all.environment);
  if (all.shell) out["shell"] = {{"commands", texts(all.shell->commands)}};
  if (all.clipboard) out["clipboard"] = true;
  if (!all.secrets.empty()) out["secrets"] = texts(all.secrets);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string permissions_hash(const Permissions& requested) { return settings::hash_of(canonical_json(requested)); }

std::vector<Item> items_of(const Permissions& requested) {
  const Permissions all = canonical(requested);
  std::vector<Item> out;
  for (const RequestedText& one : all.network) out.push_back({PermissionKind::kNetwork, one.text});
  for (const RequestedPath& one : all.filesystem)
    out.push_back({one.access == FileAccess::kRead ? PermissionKind::kRead : PermissionKind::kWrite, one.path});
  for (const RequestedText& one : all.environment) out.push_back({PermissionKind::kEnvironment, one.text});
  for (const RequestedText& one : all.secrets) out.push_back({PermissionKind::kSecret, one.text});
  if (all.shell && all.shell->commands.empty()) out.push_back({PermissionKind::kShell, {}});
  if (all.shell)
    for (const RequestedText& one : all.shell->commands) out.push_back({PermissionKind::kShell, one.text});
  if (all.clipboard) out.push_back({PermissionKind::kClipboard, {}});
  return out;
}

Difference difference(const Permissions& before, const Permissions& now) {
  const Permissions given = canonical(before);
  const std::vector<Item> old_items = items_of(before);
  const std::vector<Item> new_items = items_of(now);
  const std::set<Item> was(old_items.begin(), old_items.end());
  const std::set<Item> is(new_items.begin(), new_items.end());
  Difference out;
  for (const Item& item : new_items) {
    if (!was.contains(item)) out.added.push_back(item);
    out.grew = out.grew || !covered(item, given, was);
  }
  for (const Item& item : old_items) {
    if (is.contains(item)) continue;
    out.removed.push_back(item);
    // A removed denial grants more.
    out.grew = out.grew || (item.kind == PermissionKind::kNetwork && item.what.starts_with('!'));
  }
  return out;
}

}  // namespace pinfold::plugin
