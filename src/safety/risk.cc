// risk.cc: the risk of paths; which table row speaks about one.
// Invariant: the row with the longest match speaks; a row about a name inside a project is weighed with the others.
// Not here: the rows (path_risk.h), hosts (risk_host.cc).
#include "safety/risk.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/paths.h"
#include "safety/risk_host.h"
#include "safety/path_risk.h"

namespace pinfold::safety {
namespace {

using std::string_view;

enum class Does { kLooks, kChanges, kTalks };

Does does(string_view operation) {
  if (operation == "read" || operation == "exec") return Does::kLooks;
  return operation == "connect" || operation == "send" ? Does::kTalks : Does::kChanges;
}

// ".git/hooks" in "/a/.git/hooks/pre-commit": whole components; the place behind it, or nothing.
std::optional<std::size_t> part_ends(string_view path, string_view part) {
  const std::string framed = "/" + std::string(part);
  for (std::size_t at = path.rfind(framed); at != string_view::npos;
       at = at == 0 ? string_view::npos : path.rfind(framed, at - 1)) {
    const std::size_t end = at + framed.size();
    if (end == path.size() || path[end] == '/') return end;
  }
  return std::nullopt;
}

// Certificates that came with the system: everybody has them.
bool is_public(string_view path) { return paths::beneath(path, "/usr") || paths::beneath(path, "/etc/ssl/certs"); }

// How much of the path a row speaks about; 0: nothing.
std::size_t reach(const Place& place, string_view path, string_view home) {
  switch (place.kind) {
    case Where::kHome: {
      const std::string full = std::string(home) + "/" + std::string(place.where);
      return home.size() > 1 && paths::at_or_beneath(path, full) ? full.size() : 0;
    }
    case Where::kRoot: return paths::at_or_beneath(path, place.where) ? place.where.size() : 0;
    case Where::kPart: return part_ends(path, place.where).value_or(0);
    case Where::kName: return paths::basename(path) == place.where ? path.size() : 0;
    case Where::kStart: return path.starts_with(place.where) ? place.where.size() : 0;
    case Where::kEnding: return paths::basename(path).ends_with(place.where) && !is_public(path) ? path.size() : 0;
  }
  return 0;
}

Risk said(const Words& words) { return {words.level, std::string(words.text)}; }

bool in_one_of(string_view path, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const std::string& root) { return paths::at_or_beneath(path, root); });
}

const Place* place_of(string_view path, string_view home, bool in_project) {
  const Place* best = nullptr;
  std::size_t furthest = 0;
  for (const Place& place : kPlaces) {
    // Where people keep their projects says nothing about a file inside of one; its name does.
    const bool named = place.kind == Where::kPart || place.kind == Where::kName || place.kind == Where::kEnding;
    if (in_project && (!named || place.socket)) continue;
    const std::size_t reaches = reach(place, path, home);
    if (reaches <= furthest) continue;
    furthest = reaches;
    best = &place;
  }
  return best;
}

// "/home/eve" for "/home/eve/x"; empty: not in anybody's home.
string_view home_around(string_view path) {
  if (path == "/root" || path.starts_with("/root/")) return path.substr(0, 5);
  if (!path.starts_with("/home/")) return {};
  return path.substr(0, path.find('/', string_view("/home/").size()));
}

Risk path_risk(Does what, string_view path, string_view home, const std::vector<std::string>& workspaces) {
  const bool in_project = in_one_of(path, workspaces);
  if (what != Does::kTalks) {
    if (path == "/") return said(what == Does::kLooks ? kWholeSystemRead : kWholeSystemChange);
    if (home.size() > 1 && paths::at_or_beneath(home, path))
      return said(what == Does::kLooks ? kWholeHomeRead : kWholeHomeChange);
  }
  if (const Place* place = place_of(path, home, in_project)) {
    const Words& words = what == Does::kChanges ? place->change : place->look;
    // A socket's row says what talking to it means; any other row says nothing about talking.
    if (what != Does::kTalks || place->socket) return said(words);
  }
  if (what == Does::kTalks) return said(kUnknownSocket);
  const bool looks = what == Does::kLooks;
  if (in_project) return said(looks ? kProjectRead : kProjectChange);
  const string_view whose = home_around(path);
  if (!whose.empty() && !paths::at_or_beneath(path, home)) return said(looks ? kOtherHomeRead : kOtherHomeChange);
  if (home.size() > 1 && paths::beneath(path, home)) return said(looks ? kHomeRead : kHomeChange);
  return said(looks ? kElsewhereRead : kElsewhereChange);
}

}  // namespace

Risk risk_of(string_view operation, string_view resource, string_view home,
             const std::vector<std::string>& workspaces) {
  if (!resource.starts_with('/')) return host_risk(resource);
  return path_risk(does(operation), paths::normal(resource), home, workspaces);
}

}  // namespace pinfold::safety
