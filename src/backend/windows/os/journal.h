// journal.h: the grants of one sandbox on disk, for as long as they are in force.
// Invariant: nothing is changed before the file that says how to undo it is on the disk. The file is held while its
// process lives; one that nobody holds belongs to a process that died, and whoever comes next undoes it.
// Not here: how a change is made (acl.h).
#pragma once

#include <string>
#include <vector>

#include "backend/windows/grants.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

class JournalFile {
 public:
  // In `directory` (of the core), which is made. Nothing is granted yet, and the container need not be there: what has
  // its name goes with the journal of a run that died.
  static Result<JournalFile> create(std::string directory, std::string container);
  JournalFile(JournalFile&& other) noexcept
      : directory_(std::move(other.directory_)),
        journal_(std::exchange(other.journal_, {})),
        held_(std::move(other.held_)) {}
  JournalFile& operator=(JournalFile&&) = delete;
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;
  ~JournalFile();

  // Remembers all of them, then makes them, for the container with this SID. An error: those that were made are undone
  // by roll_back().
  Result<void> apply(const std::string& sid, const std::vector<AclChange>& changes);
  // The last one first. The file stays if anything could not be undone.
  Result<void> roll_back();

 private:
  JournalFile(std::string directory, Journal journal, sys::Handle held)
      : directory_(std::move(directory)), journal_(std::move(journal)), held_(std::move(held)) {}
  std::string directory_;
  Journal journal_;
  sys::Handle held_;
};

// What runs that died have left in force: undone, with their profiles and directories. One line for each, and for each
// that could not be undone.
std::vector<std::string> recover(const std::string& directory);

}  // namespace pinfold::backend::on_windows
