// files.h: files of Windows that matter: read with their owner, written whole or not at all; with make_directories()
// of sys/files.h.
// Invariant: a reader of a published name sees the old text or the new one, also after a crash; links are not followed.
// Not here: which files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/host_view.h"
#include "sys/files.h"
#include "sys/windows/winapi.h"

namespace pinfold::sys {

// Writes beside `path` (of the core), flushes it to the disk, then renames.
Result<void> publish(const std::string& path, std::string_view text);
// A directory and all in it; links are removed, not followed. What is not there is fine.
Result<void> remove_tree(const std::string& path);
Result<void> remove_file(const std::string& path);
Result<std::string> read_whole(const std::string& path, std::size_t limit);
// With owner and rights as HostView has them: uid is the caller's own or 0 for administrators and the system; the mode
// says that others can write where the access list lets anybody else.
Result<HostFile> read_with_owner(const std::string& path, Links links, std::size_t limit);
// Nobody else can open it until it is closed, which the end of the process does, however it comes. Not open: taken.
Result<Handle> hold_file(const std::string& path);
// The last number of the caller's own SID.
std::uint32_t own_id();

}  // namespace pinfold::sys
