// approvals.h: which plugins the user has allowed or denied: ~/.config/pinfold/plugin-approvals.json.
// Invariant: the file is the user's own, written whole or not at all, under a lock. One that cannot be trusted or
// understood approves nothing, and is set aside, never written over. Not here: what a change of a plugin means
// (standing.h), asking (review.h).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/host_view.h"
#include "pinfold/policy.h"
#include "plugin/permissions.h"

namespace pinfold::plugin {

struct Approval {
  std::string version;
  std::string permissions_hash;                // "sha256:…"
  std::string approved_at;                     // "2026-01-31T12:00:00Z"
  std::string files_hash;                      // "sha256:…"
  Permissions permissions{};                   // what the hash is of, so that a difference can be shown
  std::map<std::string, std::string> tools{};  // name → "sha256/v1:…", by whoever talks to the plugin
};

struct Refusal {
  std::string denied_at;
};

struct Approvals {
  std::map<std::string, Approval> approved;  // by id
  std::map<std::string, Refusal> denied;
};

// The file's text. An error says what is wrong with it.
Result<Approvals> parse_approvals(std::string_view text);
std::string print_approvals(const Approvals& approvals);

// "2026-01-31T12:00:00Z"
std::string now_text();

class ApprovalStore {
 public:
  // Asks nothing yet.
  ApprovalStore(const Caller& caller, HostView& host);

  // An absent file is an empty one; a damaged one is an error.
  Result<Approvals> read() const;

  // Changes what is stored now. `set_aside`: where a file that could not be read has been moved.
  struct Changed {
    std::optional<std::string> set_aside;
  };
  Result<Changed> change(const std::function<void(Approvals&)>& edit);
  // The same, but a file that cannot be read stays where it is, and is an error: for changes that nobody asked for.
  Result<void> update(const std::function<void(Approvals&)>& edit);

  std::string path() const;

 private:
  Result<Changed> write(const std::function<void(Approvals&)>& edit, bool may_set_aside);

  std::string directory_;  // empty: the home directory is not known
  HostView& host_;
};

}  // namespace pinfold::plugin
