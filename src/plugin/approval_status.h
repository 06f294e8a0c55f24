// standing.h: how a plugin stands with the user: new, approved, denied, or changed since.
// Invariant: approved only if neither what it asks for grew nor its files changed since the user agreed; denied stays
// denied whatever changes. Not here: the store (approvals.h), asking (review.h).
#pragma once

#include <optional>
#include <string>

#include "plugin/approvals.h"
#include "plugin/manifest.h"

namespace pinfold::plugin {

enum class State { kNew, kApproved, kDenied, kChanged, kBroken };
std::string_view state_word(State state);

// What is on the disk now.
struct Fingerprint {
  std::string permissions_hash;
  std::string files_hash;
};

struct Standing {
  State state = State::kNew;
  // With kChanged; and with kApproved where less is asked for than was allowed.
  std::optional<Difference> difference{};
  bool code_changed = false;
  std::string before_version{};  // that the user agreed to, or empty
  // Approved, and the record is to be brought up to date without a question: less is asked for, or a new version has
  // the same files.
  bool update = false;
};

Standing standing_of(const Manifest& manifest, const Fingerprint& now, const Approvals& approvals);

// What is recorded when the user agrees to what was shown.
void approve(Approvals& approvals, const Manifest& manifest, const Fingerprint& shown);
// What was agreed to stays agreed to; nothing happens unless the plugin stands as approved and is to be updated.
void bring_up_to_date(Approvals& approvals, const Manifest& manifest, const Fingerprint& now);
void deny(Approvals& approvals, const std::string& id);
// False: there was nothing to forget.
bool forget(Approvals& approvals, const std::string& id);

// What of a manifest decides about what is started: a part of the files' hash.
std::string start_of(const Manifest& manifest);

}  // namespace pinfold::plugin
