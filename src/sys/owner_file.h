// owner_file.h: a file with the owner of a directory.
// Invariant: it is written whole, once; an existing file is not changed.
// Not here: its readers.
#pragma once

#include <string>

#include "pinfold/result.h"

namespace pinfold::sys {

// Makes the directory, owner-only, if it does not exist.
Result<void> write_owner(const std::string& directory, const std::string& name, const std::string& owner);

}  // namespace pinfold::sys
