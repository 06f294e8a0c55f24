// approval_status.cc: compares a plugin with its recorded approval.
// Invariant: if the record is incomplete, the user is asked again.
// Not here: the store (approvals.cc), the prompt (review.h).
#include "plugin/approval_status.h"

#include <nlohmann/json.hpp>

namespace pinfold::plugin {

std::string_view state_word(State state) {
  switch (state) {
    case State::kNew: return "new";
    case State::kApproved: return "approved";
    case State::kDenied: return "denied";
    case State::kChanged: return "changed";
    case State::kBroken: break;
  }
  return "broken";
}

std::string start_of(const Manifest& manifest) {
  return nlohmann::json{{"runtime", runtime_word(manifest.runtime)}, {"entry", manifest.entry}, {"args", manifest.args}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ApprovalStatus approval_status_of(const Manifest& manifest, const Fingerprint& now, const Approvals& approvals) {
  ApprovalStatus out;
  if (approvals.denied.contains(manifest.id)) {
    out.state = State::kDenied;
    return out;
  }
  const auto found = approvals.approved.find(manifest.id);
  if (found == approvals.approved.end()) return out;
  const Approval& before = found->second;
  out.before_version = before.version;
  out.code_changed = before.files_hash != now.files_hash;
  const bool same_permissions = before.permissions_hash == now.permissions_hash;
  const bool known = permissions_hash(before.permissions) == before.permissions_hash;
  if (!same_permissions) out.difference = difference(known ? before.permissions : Permissions{}, manifest.permissions);
  const bool grew = !same_permissions && (!known || out.difference->grew);
  out.state = grew || out.code_changed ? State::kChanged : State::kApproved;
  out.update = out.state == State::kApproved && (!same_permissions || before.version != manifest.version);
  return out;
}

void approve(Approvals& approvals, const Manifest& manifest, const Fingerprint& shown) {
  approvals.denied.erase(manifest.id);
  Approval& row = approvals.approved[manifest.id];
  row.tools.clear();  // pinned again when the plugin next starts
  row.version = manifest.version;
  row.permissions_hash = shown.permissions_hash;
  row.files_hash = shown.files_hash;
  row.approved_at = now_text();
  row.permissions = canonical(manifest.permissions);
}

void bring_up_to_date(Approvals& approvals, const Manifest& manifest, const Fingerprint& now) {
  if (!approval_status_of(manifest, now, approvals).update) return;
  const Approval before = approvals.approved[manifest.id];
  approve(approvals, manifest, now);
  Approval& row = approvals.approved[manifest.id];
  row.approved_at = before.approved_at;
  row.tools = before.tools;  // the user has not approved other pins
}

void deny(Approvals& approvals, const std::string& id) {
  approvals.approved.erase(id);
  approvals.denied[id] = {now_text()};
}

bool forget(Approvals& approvals, const std::string& id) {
  const bool approved = approvals.approved.erase(id) > 0;
  return approvals.denied.erase(id) > 0 || approved;
}

}  // namespace pinfold::plugin
