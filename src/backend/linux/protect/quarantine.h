// quarantine.h: takes a name out of the way on the host, whatever a run did to hinder it.
// Invariant: deletes nothing; the new name cannot be guessed, so nobody can have taken it before; a directory whose
// owner lacks rights on it has them for a moment and is then as it was.
// Not here: what is taken away, and why (guard.cc, git_disarm.cc, placeholder.cc).
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pinfold::backend::on_linux {

// Gives the owner all rights on this directory (any descriptor of it), as long as it lives.
class OwnersRights {
 public:
  explicit OwnersRights(int directory);
  ~OwnersRights();
  OwnersRights(const OwnersRights&) = delete;
  OwnersRights& operator=(const OwnersRights&) = delete;

 private:
  int directory_;
  std::optional<mode_t> before_;
};

// Tries again with the owner's rights where the first try lacks permission. True: done. Otherwise errno says why.
bool with_rights(int directory, const std::function<bool()>& change);

// 16 hexadecimal digits.
std::string random_digits();

// NAME becomes NAME + `tag` + "-" + digits in the same directory. The new name; empty: see errno.
std::string set_aside(int directory, const std::string& name, std::string_view tag);

}  // namespace pinfold::backend::on_linux
