// files.h: on Windows, reads files with their owner and writes them whole or not at all; also make_directories() of
// sys/files.h.
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
// Removes a directory with its contents; removes links without following them. A missing path is no error.
Result<void> remove_tree(const std::string& path);
Result<void> remove_file(const std::string& path);
Result<std::string> read_whole(const std::string& path, std::size_t limit);
// With owner and rights in HostView's form: uid is the caller's, or 0 for administrators and the system; the mode has
// write permission for others if the access list lets any other user write.
Result<HostFile> read_with_owner(const std::string& path, Links links, std::size_t limit);
// Opens the file without sharing: no other process can open it until the handle is closed, at the latest when this
// process ends. If the result is not open, another process holds the file.
Result<Handle> hold_file(const std::string& path);
// The last subauthority (RID) of the caller's SID.
std::uint32_t own_id();

}  // namespace pinfold::sys
