// store.h: a file written whole or not at all, in a directory that is held.
// Invariant: a reader sees the old bytes or the new ones, also after a crash; never truncates, never follows a symlink;
// a temporary file has no name, or an unpredictable one that is removed.
// Not here: whether it may be written (access_check.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/walk.h"

namespace pinfold::files {

struct StoreResult {
  std::vector<std::string> notes;  // attributes that could not be kept
};

// Replaces the file entry.self, with its mode, owner and attributes as far as this user may set them.
Result<StoreResult> replace_file(const DirectoryEntry& entry, std::string_view bytes);
// A new file. An error of kind kInvalid if there is one by now.
Result<StoreResult> create_file(const DirectoryEntry& entry, std::string_view bytes);

}  // namespace pinfold::files
