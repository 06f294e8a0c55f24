// owner_file.h: a file that says whose a directory is.
// Invariant: it is written whole, once; an existing one is left alone.
// Not here: its readers.
#pragma once

#include <string>

#include "pinfold/result.h"

namespace pinfold::sys {

// Makes the directory, owner-only, if need be.
Result<void> write_owner(const std::string& directory, const std::string& name, const std::string& owner);

}  // namespace pinfold::sys
