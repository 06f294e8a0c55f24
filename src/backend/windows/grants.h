// grants.h: the plan's paths as changes to access lists, and the journal that undoes them.
// Invariant: only the planned paths are changed; every change is in the journal, with what was there before, before it
// is made. A container's SID is new for each sandbox, so that nothing granted to one is ever another's.
// Not here: making or undoing a change (os/acl.h), the journal's file (os/journal.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::backend::on_windows {

// Rights to files as Windows counts them.
namespace rights {
inline constexpr std::uint32_t kRead = 0x120089;     // FILE_GENERIC_READ
inline constexpr std::uint32_t kExecute = 0x1200A0;  // FILE_GENERIC_EXECUTE
inline constexpr std::uint32_t kWrite = 0x120116;    // FILE_GENERIC_WRITE
inline constexpr std::uint32_t kDelete = 0x10000;
// Never given: FILE_DELETE_CHILD would delete what is protected by way of its directory, WRITE_DAC and WRITE_OWNER
// would undo all of this.
inline constexpr std::uint32_t kNeverGiven = 0x40 | 0x40000 | 0x80000;
}  // namespace rights

// kGrant: one more entry, for this path and what is below it. kSeal: what is above no longer counts here: the entries
// of others stay as they are, the container gets these rights or none. (An entry that denies may not do: as we read
// it, Windows does not look for a container's SID in those. Not verified.)
enum class Deed { kGrant, kSeal };
struct AclChange {
  std::string path;  // of the core
  Deed deed = Deed::kGrant;
  std::uint32_t rights = 0;  // of the container, for this path
  std::uint32_t below = 0;   // … and for what is in it, of a directory
  EntryKind kind = EntryKind::kDirectory;
};

std::uint32_t rights_of(View view);

// In the order in which they are made: shallow to deep. `system`: directories that Windows itself opens to every
// container; nothing there is changed, and nothing can be hidden there.
struct AclPlan {
  std::vector<AclChange> changes;
  std::vector<std::string> cannot_hide;     // below `system`
  std::vector<std::string> cannot_protect;  // names that do not exist yet
  std::vector<std::string> not_remapped;    // shown at another place than where they are: not shown at all
};
AclPlan acl_plan(const Plan& plan, const std::vector<std::string>& system);

// What is written before anything is changed.
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
// What is damaged is an error: nobody guesses about access lists.
Result<Journal> read_journal(std::string_view text);

}  // namespace pinfold::backend::on_windows
