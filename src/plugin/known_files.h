// known_files.h: the hash of a plugin's files, without reading again what has not changed since it was last read.
// Invariant: the answer is that of files_hash(); what is remembered counts only for files that had rested when they
// were read and of which nothing that the system keeps about a change is different. Not here: the hash itself
// (files_hash.h).
#pragma once

#include <string>

#include "plugin/files_hash.h"

namespace pinfold::plugin {

// `state`: a directory of Pinfold's own for this plugin, where it is remembered; one that cannot be used costs time
// only.
Result<std::string> known_files_hash(const std::string& folder, const std::string& start, const std::string& state,
                                     FolderBounds bounds = {});

}  // namespace pinfold::plugin
