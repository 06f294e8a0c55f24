// approvals.h: the plugins that the user has allowed or denied: ~/.config/pinfold/plugin-approvals.json.
// Invariant: the file belongs to the user and is replaced atomically, under a lock. A file that is untrusted or cannot
// be parsed approves nothing; it is renamed aside, never overwritten. Not here: the status of a changed plugin
// (approval_status.h), the prompt (review.h).
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
  Permissions permissions{};                   // the hashed permissions, stored so that a difference can be shown
  std::map<std::string, std::string> tools{};  // name → "sha256/v1:…", the pins of its MCP tools
};

struct Refusal {
  std::string denied_at;
};

struct Approvals {
  std::map<std::string, Approval> approved;  // by id
  std::map<std::string, Refusal> denied;
};

// Parses the file's text. An error names the line and the problem.
Result<Approvals> parse_approvals(std::string_view text);
std::string print_approvals(const Approvals& approvals);

// "2026-01-31T12:00:00Z"
std::string now_text();

class ApprovalStore {
 public:
  // Does no I/O.
  ApprovalStore(const Caller& caller, HostView& host);

  // An absent file is an empty one; a damaged one is an error.
  Result<Approvals> read() const;

  // Edits the stored approvals. `set_aside`: the new path of a file that could not be read.
  struct ChangeResult {
    std::optional<std::string> set_aside;
  };
  Result<ChangeResult> change(const std::function<void(Approvals&)>& edit);
  // The same, but a file that cannot be read stays in place and is an error: for changes that the user did not request.
  Result<void> update(const std::function<void(Approvals&)>& edit);

  std::string path() const;

 private:
  Result<ChangeResult> write(const std::function<void(Approvals&)>& edit, bool may_set_aside);

  std::string directory_;  // empty: the home directory is not known
  HostView& host_;
};

}  // namespace pinfold::plugin
