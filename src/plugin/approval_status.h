// approval_status.h: the approval status of a plugin: new, approved, denied, or changed since.
// Invariant: approved only if its permissions did not grow and its files did not change since the approval; a denied
// plugin stays denied after any change. Not here: the store (approvals.h), the prompt (review.h).
#pragma once

#include <optional>
#include <string>

#include "plugin/approvals.h"
#include "plugin/manifest.h"

namespace pinfold::plugin {

enum class State { kNew, kApproved, kDenied, kChanged, kBroken };
std::string_view state_word(State state);

// The hashes of the current files.
struct Fingerprint {
  std::string permissions_hash;
  std::string files_hash;
};

struct ApprovalStatus {
  State state = State::kNew;
  // With kChanged; and with kApproved if fewer permissions are requested than were approved.
  std::optional<Difference> difference{};
  bool code_changed = false;
  std::string before_version{};  // the approved version, or empty
  // Approved, and the record needs an update without a prompt: fewer permissions are requested, or a new version has
  // the same files.
  bool update = false;
};

ApprovalStatus approval_status_of(const Manifest& manifest, const Fingerprint& now, const Approvals& approvals);

// Records the approval of the reviewed plugin.
void approve(Approvals& approvals, const Manifest& manifest, const Fingerprint& shown);
// Updates the record of an approved plugin if its status has `update`; otherwise does nothing.
void bring_up_to_date(Approvals& approvals, const Manifest& manifest, const Fingerprint& now);
void deny(Approvals& approvals, const std::string& id);
// False: there was no record.
bool forget(Approvals& approvals, const std::string& id);

// The parts of a manifest that determine the command line; input of the files' hash.
std::string start_of(const Manifest& manifest);

}  // namespace pinfold::plugin
