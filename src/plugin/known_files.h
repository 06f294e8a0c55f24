// known_files.h: caches the hash of a plugin's files, so that unchanged files are not read again.
// Invariant: the result equals files_hash(); a cached hash is used only if the files were at least 2 s old when they
// were read and all metadata is equal. Not here: the hash itself (files_hash.h).
#pragma once

#include <string>

#include "plugin/files_hash.h"

namespace pinfold::plugin {

// `state`: Pinfold's state directory for this plugin, which holds the cache; without it only time is lost.
Result<std::string> known_files_hash(const std::string& folder, const std::string& start, const std::string& state,
                                     FolderBounds bounds = {});

}  // namespace pinfold::plugin
