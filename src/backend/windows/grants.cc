// grants.cc: the changes to access lists, and the text of their journal.
// Invariant: only paths of path steps are granted; no change has a right of rights::kNeverGiven.
// Not here: calls of Windows.
#include "backend/windows/grants.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/paths.h"

namespace pinfold::backend::on_windows {
namespace {

using Json = nlohmann::ordered_json;
using std::string;

constexpr std::uint32_t kAllOfWrite = rights::kRead | rights::kWrite | rights::kDelete;

bool is_below_any(const string& path, const std::vector<string>& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](const string& root) { return paths::at_or_beneath(path, root); });
}

// The rights of the nearest granted directory at or above this path.
std::uint32_t rights_at(const std::map<string, std::uint32_t>& shown, const string& path) {
  std::uint32_t out = 0;
  paths::each_at_or_above(path, [&](std::string_view above) {
    const auto found = shown.find(string(above));
    if (found != shown.end()) out = found->second;
  });
  return out;
}

void put(std::vector<AclChange>& changes, AclChange change) {
  for (AclChange& one : changes)
    if (one.path == change.path) {
      // A directory that is pinned and protected: the stricter of the two.
      if (change.action == AclAction::kSeal && one.action == AclAction::kSeal) {
        one.rights &= change.rights;
        one.below &= change.below;
      } else if (change.action == AclAction::kSeal) {
        one = std::move(change);
      }
      return;
    }
  changes.push_back(std::move(change));
}

const char* word(AclAction action) { return action == AclAction::kGrant ? "grant" : "seal"; }
const char* word(EntryKind kind) { return kind == EntryKind::kFile ? "file" : "directory"; }

bool take(const Json& object, const char* key, string& slot) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return false;
  slot = found->get<string>();
  return true;
}
bool take(const Json& object, const char* key, std::uint32_t& slot) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > UINT32_MAX) return false;
  slot = found->get<std::uint32_t>();
  return true;
}

bool read_entry(const Json& object, JournalEntry& entry) {
  string action;
  string kind;
  AclChange& change = entry.change;
  if (!object.is_object() || !take(object, "path", change.path) || !take(object, "action", action) ||
      !take(object, "kind", kind) || !take(object, "rights", change.rights) || !take(object, "below", change.below) ||
      !take(object, "before", entry.before))
    return false;
  if (action != word(AclAction::kGrant) && action != word(AclAction::kSeal)) return false;
  if (kind != word(EntryKind::kFile) && kind != word(EntryKind::kDirectory)) return false;
  change.action = action == word(AclAction::kGrant) ? AclAction::kGrant : AclAction::kSeal;
  change.kind = kind == word(EntryKind::kFile) ? EntryKind::kFile : EntryKind::kDirectory;
  return change.path.starts_with('/') && !entry.before.empty();
}

}  // namespace

std::uint32_t rights_of(View view) {
  switch (view) {
    case View::kRead: return rights::kRead;
    case View::kReadExec: return rights::kRead | rights::kExecute;
    case View::kWrite: return kAllOfWrite;
    case View::kWriteExec: return kAllOfWrite | rights::kExecute;
  }
  return 0;
}

AclPlan acl_plan(const Plan& plan, const std::vector<string>& system) {
  AclPlan out;
  std::map<string, std::uint32_t> shown;
  for (const Step& step : plan.steps) {
    const auto* show = std::get_if<ShowPath>(&step.body);
    if (show == nullptr) continue;
    if (show->at != show->host) {
      out.not_remapped.push_back(show->at);
      continue;
    }
    const std::uint32_t rights = rights_of(show->view);
    // Fewer rights than the directory around it: inheritance has to be cut off.
    const std::uint32_t around = rights_at(shown, string(paths::parent(show->at)));
    shown[show->at] = rights;
    if (is_below_any(show->at, system)) continue;
    const AclAction action = (around & ~rights) != 0 ? AclAction::kSeal : AclAction::kGrant;
    put(out.changes, {show->at, action, rights, show->kind == EntryKind::kDirectory ? rights : 0, show->kind});
  }
  // A pinned directory may not be renamed, but the command may still write in it.
  const auto pin = [&](const std::vector<string>& pins) {
    for (const string& each : pins) {
      const std::uint32_t all = rights_at(shown, each);
      put(out.changes, {each, AclAction::kSeal, all & ~rights::kDelete, all, EntryKind::kDirectory});
    }
  };
  for (const Step& step : plan.steps) {
    if (const auto* hide = std::get_if<HidePath>(&step.body)) {
      if (is_below_any(hide->at, system))
        out.cannot_hide.push_back(hide->at);
      else
        put(out.changes, {hide->at, AclAction::kSeal, 0, 0, hide->kind});
      pin(hide->pins);
    } else if (const auto* protect = std::get_if<ProtectPath>(&step.body)) {
      const std::uint32_t given = rights_at(shown, protect->at);
      const std::uint32_t kept = given & (rights::kRead | rights::kExecute);
      put(out.changes,
          {protect->at, AclAction::kSeal, kept, protect->kind == EntryKind::kDirectory ? kept : 0, protect->kind});
      pin(protect->pins);
    } else if (const auto* name = std::get_if<ProtectName>(&step.body)) {
      out.cannot_protect.push_back(paths::join(name->parent, name->name));
    }
  }
  std::stable_sort(out.changes.begin(), out.changes.end(),
                   [](const AclChange& a, const AclChange& b) { return paths::depth(a.path) < paths::depth(b.path); });
  return out;
}

string journal_text(const Journal& journal) {
  Json entries = Json::array();
  for (const JournalEntry& entry : journal.entries)
    entries.push_back({{"path", entry.change.path},
                       {"action", word(entry.change.action)},
                       {"kind", word(entry.change.kind)},
                       {"rights", entry.change.rights},
                       {"below", entry.change.below},
                       {"before", entry.before}});
  return Json{{"version", 1}, {"container", journal.container}, {"sid", journal.sid}, {"changes", std::move(entries)}}
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

Result<Journal> read_journal(std::string_view text) {
  const auto damaged = [] {
    return fail(ErrorKind::kInvalid, "the journal of a sandbox is damaged, so its grants cannot be revoked",
                "read the journal: the access lists of the paths in it name the container");
  };
  const Json json = Json::parse(text, nullptr, false);
  Journal journal;
  std::uint32_t version = 0;
  if (!json.is_object() || !take(json, "version", version) || version != 1) return damaged();
  if (!take(json, "container", journal.container) || !take(json, "sid", journal.sid)) return damaged();
  // The SID must be a container's: entries of users must not be removed.
  if (!journal.sid.starts_with("S-1-15-2-")) return damaged();
  const auto changes = json.find("changes");
  if (changes == json.end() || !changes->is_array()) return damaged();
  for (const Json& one : *changes) {
    JournalEntry entry;
    if (!read_entry(one, entry)) return damaged();
    journal.entries.push_back(std::move(entry));
  }
  return journal;
}

}  // namespace pinfold::backend::on_windows
