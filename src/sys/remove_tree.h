// remove_tree.h: removes a directory with everything in it.
// Invariant: three descriptors and constant memory at any depth; follows no symlink and never resolves "..", so that a
// process that renames directories during the removal cannot lead it out of the tree.
// Not here: the callers (backend/linux/landlock/scratch_home.cc, cli/plugin_import.cc).
#pragma once

#include <string>

#include "pinfold/result.h"

namespace pinfold::sys {

// A missing path is no error. After an error, part of the tree may be removed; another call continues.
Result<void> remove_tree(const std::string& path);

}  // namespace pinfold::sys
