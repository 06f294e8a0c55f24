// remove_tree.h: removes a directory with everything in it.
// Invariant: three descriptors and constant memory at any depth; follows no symbolic link and never goes up by
// "..", so that a process that renames directories in the meantime cannot lead it out of the tree.
// Not here: when (backend/linux/landlock/scratch_home.cc, cli/plugin_import.cc).
#pragma once

#include <string>

#include "pinfold/result.h"

namespace pinfold::sys {

// An absent one is no error. On an error part of it may be gone; calling again goes on.
Result<void> remove_tree(const std::string& path);

}  // namespace pinfold::sys
