// risk.cc: the risk of a path: chooses its table row.
// Invariant: the row with the longest match is used; inside a project, only rows about names count.
// Not here: the rows (path_risk.h), hosts (risk_host.cc).
#include "safety/risk.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/paths.h"
#include "safety/path_risk.h"
#include "safety/risk_host.h"

namespace pinfold::safety {
namespace {

using std::string_view;

enum class AccessKind { kRead, kChange, kConnect };

AccessKind access_kind_of(string_view operation) {
  if (operation == "read" || operation == "exec") return AccessKind::kRead;
  return operation == "connect" || operation == "send" ? AccessKind::kConnect : AccessKind::kChange;
}

// ".git/hooks" in "/a/.git/hooks/pre-commit": whole components; the offset after them, or nothing.
std::optional<std::size_t> part_ends(string_view path, string_view part) {
  const std::string framed = "/" + std::string(part);
  for (std::size_t at = path.rfind(framed); at != string_view::npos;
       at = at == 0 ? string_view::npos : path.rfind(framed, at - 1)) {
    const std::size_t end = at + framed.size();
    if (end == path.size() || path[end] == '/') return end;
  }
  return std::nullopt;
}

// Certificates of the system: not secret.
bool is_public(string_view path) { return paths::beneath(path, "/usr") || paths::beneath(path, "/etc/ssl/certs"); }

// The length of the path that a row matches; 0: no match.
std::size_t reach(const RiskPath& row, string_view path, string_view home) {
  switch (row.match) {
    case PathMatch::kHome: {
      const std::string full = std::string(home) + "/" + std::string(row.pattern);
      return home.size() > 1 && paths::at_or_beneath(path, full) ? full.size() : 0;
    }
    case PathMatch::kRoot: return paths::at_or_beneath(path, row.pattern) ? row.pattern.size() : 0;
    case PathMatch::kPart: return part_ends(path, row.pattern).value_or(0);
    case PathMatch::kName: return paths::basename(path) == row.pattern ? path.size() : 0;
    case PathMatch::kStart: return path.starts_with(row.pattern) ? row.pattern.size() : 0;
    case PathMatch::kEnding: return paths::basename(path).ends_with(row.pattern) && !is_public(path) ? path.size() : 0;
  }
  return 0;
}

Risk risk_from(const RiskText& words) { return {words.level, std::string(words.text)}; }

bool in_one_of(string_view path, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const std::string& root) { return paths::at_or_beneath(path, root); });
}

const RiskPath* risk_path_of(string_view path, string_view home, bool in_project) {
  const RiskPath* best = nullptr;
  std::size_t furthest = 0;
  for (const RiskPath& row : kRiskPaths) {
    // The directory of a project says nothing about the risk of a file in it; the file's name does.
    const bool named =
        row.match == PathMatch::kPart || row.match == PathMatch::kName || row.match == PathMatch::kEnding;
    if (in_project && (!named || row.socket)) continue;
    const std::size_t reaches = reach(row, path, home);
    if (reaches <= furthest) continue;
    furthest = reaches;
    best = &row;
  }
  return best;
}

// "/home/eve" for "/home/eve/x"; empty: not in a home directory.
string_view home_around(string_view path) {
  if (path == "/root" || path.starts_with("/root/")) return path.substr(0, 5);
  if (!path.starts_with("/home/")) return {};
  return path.substr(0, path.find('/', string_view("/home/").size()));
}

Risk path_risk(AccessKind access, string_view path, string_view home, const std::vector<std::string>& workspaces) {
  const bool in_project = in_one_of(path, workspaces);
  if (access != AccessKind::kConnect) {
    if (path == "/") return risk_from(access == AccessKind::kRead ? kWholeSystemRead : kWholeSystemChange);
    if (home.size() > 1 && paths::at_or_beneath(home, path))
      return risk_from(access == AccessKind::kRead ? kWholeHomeRead : kWholeHomeChange);
  }
  if (const RiskPath* row = risk_path_of(path, home, in_project)) {
    const RiskText& words = access == AccessKind::kChange ? row->change : row->read;
    // Only the row of a socket has the risk of connecting.
    if (access != AccessKind::kConnect || row->socket) return risk_from(words);
  }
  if (access == AccessKind::kConnect) return risk_from(kUnknownSocket);
  const bool looks = access == AccessKind::kRead;
  if (in_project) return risk_from(looks ? kProjectRead : kProjectChange);
  const string_view whose = home_around(path);
  if (!whose.empty() && !paths::at_or_beneath(path, home)) return risk_from(looks ? kOtherHomeRead : kOtherHomeChange);
  if (home.size() > 1 && paths::beneath(path, home)) return risk_from(looks ? kHomeRead : kHomeChange);
  return risk_from(looks ? kElsewhereRead : kElsewhereChange);
}

}  // namespace

Risk risk_of(string_view operation, string_view resource, string_view home,
             const std::vector<std::string>& workspaces) {
  if (!resource.starts_with('/')) return host_risk(resource);
  return path_risk(access_kind_of(operation), paths::normal(resource), home, workspaces);
}

}  // namespace pinfold::safety
