// journal.h: the grants of one sandbox on disk, for as long as they are in force.
// Invariant: no access list is changed before the journal that undoes the change is on the disk. A process holds its
// journal open until it exits; a journal that no process holds belongs to one that died, and the next run undoes it.
// Not here: how a change is made (acl.h).
#pragma once

#include <string>
#include <vector>

#include "backend/windows/grants.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

class JournalFile {
 public:
  // In `directory` (a path of the core), which is made. No grant is made yet, and the container need not exist:
  // recover() deletes the profile and the directory of that name.
  static Result<JournalFile> create(std::string directory, std::string container);
  JournalFile(JournalFile&& other) noexcept
      : directory_(std::move(other.directory_)),
        journal_(std::exchange(other.journal_, {})),
        held_(std::move(other.held_)) {}
  JournalFile& operator=(JournalFile&&) = delete;
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;
  ~JournalFile();

  // Writes all changes to the journal, then makes them, for the container with this SID. After an error, roll_back()
  // undoes those that were made.
  Result<void> apply(const std::string& sid, const std::vector<AclChange>& changes);
  // Undoes the changes, the last one first. The file stays if a change could not be undone.
  Result<void> roll_back();

 private:
  JournalFile(std::string directory, Journal journal, sys::Handle held)
      : directory_(std::move(directory)), journal_(std::move(journal)), held_(std::move(held)) {}
  std::string directory_;
  Journal journal_;
  sys::Handle held_;
};

// Undoes the grants of runs that died, and removes their profiles and directories. Returns one note for each run, also
// if its grants could not be undone.
std::vector<std::string> recover(const std::string& directory);

}  // namespace pinfold::backend::on_windows
