// quarantine.h: renames a file on the host to a name that no tool reads, also where the run has changed modes to
// prevent that.
// Invariant: deletes nothing; the new name cannot be guessed, so no process can have taken it before; if a directory
// denies its owner access, it gets that for the length of the call and is then restored.
// Not here: which files, and why (guard.cc, git_disarm.cc, placeholder.cc).
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pinfold::backend::on_linux {

// Gives the owner all rights on this directory (any descriptor of it) during its lifetime.
class OwnerAccess {
 public:
  explicit OwnerAccess(int directory);
  ~OwnerAccess();
  OwnerAccess(const OwnerAccess&) = delete;
  OwnerAccess& operator=(const OwnerAccess&) = delete;

 private:
  int directory_;
  std::optional<mode_t> before_;
};

// Tries again with owner access if the first try lacks permission. True: done. Otherwise errno is set.
bool with_owner_access(int directory, const std::function<bool()>& change);

// 16 hexadecimal digits.
std::string random_digits();

// Renames NAME to NAME + `tag` + "-" + digits in the same directory. Returns the new name; empty on error, with errno
// set.
std::string quarantine(int directory, const std::string& name, std::string_view tag);
// The same into another directory of the same file system, with `start` instead of NAME.
std::string quarantine_in(int target, const std::string& start, int directory, const std::string& name,
                          std::string_view tag);

}  // namespace pinfold::backend::on_linux
