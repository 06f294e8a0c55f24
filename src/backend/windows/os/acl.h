// acl.h: makes and undoes one change to an access list.
// Invariant: a grant adds entries of one SID, and undoing it removes the entries of that SID and nothing else; a seal
// keeps the entries of others, and undoing it puts back the list that was there.
// Not here: which changes (grants.h), remembering them (journal.h).
#pragma once

#include <string>

#include "backend/windows/grants.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

// The access list, with its flags, in Windows' own notation: "D:PAI(A;;FA;;;BA)".
Result<std::string> access_list(const std::string& path);

Result<void> make_change(const AclChange& change, const std::string& sid);

// Also of a change that was never made, or made in part. A path that is gone is fine.
Result<void> undo_change(const JournalEntry& entry, const std::string& sid);

}  // namespace pinfold::backend::on_windows
