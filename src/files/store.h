// store.h: a file written whole or not at all, in a directory that is held.
// Invariant: a reader, and a crash, sees the old bytes or the new ones; never truncates, never follows a symlink; what
// is made on the way has no name, or an unpredictable one that is removed.
// Not here: whether it may be written (access_check.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/walk.h"

namespace pinfold::files {

struct Stored {
  std::vector<std::string> notes;  // what could not be kept
};

// In place of what place.self is, with its mode, owner and attributes as far as this user may set them.
Result<Stored> replace_file(const Place& place, std::string_view bytes);
// A new file. An error of kind kInvalid if there is one by now.
Result<Stored> create_file(const Place& place, std::string_view bytes);

}  // namespace pinfold::files
