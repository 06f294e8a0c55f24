// grants.h: the plan's paths as changes to access lists, and the journal that undoes them.
// Invariant: only the plan's paths are changed; the journal has every change, with the access list before it, before
// the change is made. Each sandbox has a new container SID, so no other sandbox has its grants. Not here: making or
// undoing a change (os/acl.h), the journal's file (os/journal.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::on_windows {

// Access masks of files.
namespace rights {
inline constexpr std::uint32_t kRead = 0x120089;     // FILE_GENERIC_READ
inline constexpr std::uint32_t kExecute = 0x1200A0;  // FILE_GENERIC_EXECUTE
inline constexpr std::uint32_t kWrite = 0x120116;    // FILE_GENERIC_WRITE
inline constexpr std::uint32_t kDelete = 0x10000;
// Never given: FILE_DELETE_CHILD on a directory would allow deleting a protected file in it; WRITE_DAC and WRITE_OWNER
// would allow changing the access lists.
inline constexpr std::uint32_t kNeverGiven = 0x40 | 0x40000 | 0x80000;
}  // namespace rights

// kGrant: adds one entry, for this path and the paths below it. kSeal: stops inheritance from the directory above; the
// entries of other SIDs stay, and the container gets these rights or none. (A denying entry may not work: by the
// documentation, Windows does not look for a container's SID in those. Not verified.)
enum class AclAction { kGrant, kSeal };
struct AclChange {
  std::string path;  // of the core
  AclAction action = AclAction::kGrant;
  std::uint32_t rights = 0;  // of the container, for this path
  std::uint32_t below = 0;   // … and for the paths below, if it is a directory
  EntryKind kind = EntryKind::kDirectory;
};

std::uint32_t rights_of(View view);

// The changes are in the order in which they are made: shallow to deep. `system`: directories that Windows opens to
// every container; their access lists are not changed, and no path in them can be hidden.
struct AclPlan {
  std::vector<AclChange> changes;
  std::vector<std::string> cannot_hide;     // below `system`
  std::vector<std::string> cannot_protect;  // names that do not exist yet
  std::vector<std::string> not_remapped;    // granted under another path than the host's: not granted at all
};
AclPlan acl_plan(const Plan& plan, const std::vector<std::string>& system);

// Written before the change is made.
struct JournalEntry {
  AclChange change;
  std::string before;  // the access list as it was, in Windows' own notation (SDDL), with its flags
};
struct Journal {
  std::string container;  // the profile's name
  std::string sid;        // of the container
  std::vector<JournalEntry> entries;
};

std::string journal_text(const Journal& journal);
// Damaged text is an error: access lists are never restored from a guess.
Result<Journal> read_journal(std::string_view text);

}  // namespace pinfold::backend::on_windows
