// grant_store.h: permanent grants ("always"), of the user and of each project.
// Invariant: stored in the user's own directory, which no sandbox may write. A file is replaced as a whole, under a
// lock, so concurrent writers lose no grant. A file that is damaged or that others can write gives no grant, is
// reported, and is never overwritten. Not here: the access of a grant (policy/grants.h), decisions (approval_queue.h),
// use (apply_grants.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "base/timestamp.h"
#include "pinfold/approval.h"
#include "pinfold/policy.h"
#include "sys/fd.h"

struct stat;

namespace pinfold::session {

struct StoredGrant {
  std::uint64_t number = 0;  // assigned by add(), never reused
  Grant grant;
  std::optional<std::string> project{};  // applies if this directory is a workspace; nullopt: always
  Moment since{};
  std::string program{};  // the requesting program, its operation and its resource: untrusted text
  std::string operation{};
  std::string requested{};
};

// "2026-11-16"
std::string date_of(const StoredGrant& grant);

// The stored form of an always decision.
StoredGrant stored_grant(const ApprovalRequest& request, const Grant& grant, std::optional<std::string> project,
                         Moment now = std::chrono::system_clock::now());

// Selects files of the store.
struct GrantScope {
  bool user = true;
  std::vector<std::string> projects{};  // their roots, canonical
  bool every_project = false;
};

struct GrantListing {
  std::vector<StoredGrant> grants;  // by number
  std::vector<Error> problems;      // files that were not used, each with a fix
};

struct ClearedGrants {
  std::size_t grants = 0;
  std::vector<std::string> set_aside;  // new paths of unreadable files, which were renamed
};

class GrantStore {
 public:
  // Opens nothing.
  GrantStore(Caller caller, HostView& host);

  // Call before the command runs: afterwards changes fail unless the directory is still the same one.
  void hold();

  bool exists() const;
  GrantListing list(const GrantScope& scope) const;
  // Returns the number of the grant; an equal stored grant keeps its number.
  Result<std::uint64_t> add(StoredGrant grant);
  // Returns the removed grants. kInvalid, without any change: a number has no grant.
  Result<std::vector<StoredGrant>> revoke(const std::vector<std::uint64_t>& numbers);
  Result<ClearedGrants> clear(const GrantScope& scope);

 private:
  struct Locked {
    sys::Fd directory;
    sys::Fd lock;
  };
  Result<Locked> lock() const;
  Result<void> check(const StoredGrant& grant) const;
  Result<void> check_place(const struct stat& info) const;
  std::vector<std::string> files(const GrantScope& scope) const;
  Result<std::vector<StoredGrant>> read(const std::string& name) const;
  // Without grants the file is removed.
  Result<void> write(int directory, const std::string& name, const std::vector<StoredGrant>& grants) const;
  Result<std::uint64_t> take_number(int directory) const;
  std::string path_of(const std::string& name) const;

  Caller caller_;
  HostView& host_;
  std::string directory_;  // empty: home directory unknown
  sys::Fd held_;           // not open: hold() was not called, or there was no directory
};

}  // namespace pinfold::session
