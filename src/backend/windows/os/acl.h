// acl.h: makes and undoes one change to an access list.
// Invariant: a grant adds entries of one SID, and undoing it removes only the entries of that SID; a seal keeps the
// entries of other SIDs, and undoing it restores the list before it.
// Not here: which changes (grants.h), remembering them (journal.h).
#pragma once

#include <string>

#include "backend/windows/grants.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

// The access list, with its flags, in Windows' own notation: "D:PAI(A;;FA;;;BA)".
Result<std::string> access_list(const std::string& path);

Result<void> make_change(const AclChange& change, const std::string& sid);

// Also for a change that was not made, or made in part. A path that does not exist is no error.
Result<void> undo_change(const JournalEntry& entry, const std::string& sid);

}  // namespace pinfold::backend::on_windows
