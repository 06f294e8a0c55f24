// grant_store.h: what a person's "always" leaves behind, for the user and for each project.
// Invariant: kept in the user's own directory, which no sandbox may write. A file is written whole or not at all, under
// a lock, so nobody's grant is lost. One that cannot be trusted or understood gives nothing, says so, and is never
// written over. Not here: what a grant gives (policy/grants.h), asking (approval_queue.h), applying (apply_grants.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"
#include "base/timestamp.h"
#include "pinfold/policy.h"
#include "pinfold/question.h"
#include "sys/fd.h"

struct stat;

namespace pinfold::session {

struct StoredGrant {
  std::uint64_t number = 0;  // add() gives it; never the same one twice
  Grant grant;
  std::optional<std::string> project{};  // holds where this directory is a workspace; none: wherever the user works
  Moment since{};
  std::string program{};  // who asked, and for what: untrusted text
  std::string operation{};
  std::string asked{};
};

// "2026-11-16"
std::string date_of(const StoredGrant& grant);

// What to store of a yes for always.
StoredGrant remembered(const AccessQuestion& question, const Grant& grant, std::optional<std::string> project,
                       Moment now = std::chrono::system_clock::now());

// Which of the files.
struct GrantScope {
  bool user = true;
  std::vector<std::string> projects{};  // their roots, canonical
  bool every_project = false;
};

struct GrantListing {
  std::vector<StoredGrant> grants;  // by number
  std::vector<Error> problems;      // files that give nothing, each with what to do about it
};

struct ClearedGrants {
  std::size_t grants = 0;
  std::vector<std::string> set_aside;  // where files that could not be read are now
};

class GrantStore {
 public:
  // Asks nothing yet.
  GrantStore(Caller caller, HostView& host);

  // Before anything runs that could exchange names: changes go to the directory that is there now, or nowhere.
  void hold();

  bool exists() const;
  GrantListing list(const GrantScope& scope) const;
  // Its number; one that is there already keeps the one it has.
  Result<std::uint64_t> add(StoredGrant grant);
  // Those that are gone now; kInvalid, and nothing is changed, if there is no grant of one of the numbers.
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
  // No grants: the file goes.
  Result<void> write(int directory, const std::string& name, const std::vector<StoredGrant>& grants) const;
  Result<std::uint64_t> take_number(int directory) const;
  std::string path_of(const std::string& name) const;

  Caller caller_;
  HostView& host_;
  std::string directory_;  // empty: the home directory is not known
  sys::Fd held_;           // not open: not held, or there was none
};

}  // namespace pinfold::session
