// windows_paths.h: how Windows paths are written in the core: C:\Users\ada is /c/Users/ada.
// Invariant: a text that Windows could read in two ways, or as something other than a file, is refused, never mended.
// Not here: the host (links, short names, the case that is on the disk: sys/windows/host.cc).
#pragma once

#include <string>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::windows_paths {

// A path as people write it: "C:\x", "C:/x", "/c/x", "..\x", "~\x". Separators become "/", a drive becomes "/c"; what
// is relative stays relative. Refused: other devices and machines (\\?\, \\.\, \\server), "C:x" and "\x", streams
// ("x:y"), names that Windows changes (a dot or space at the end) or takes for devices (NUL, COM1.txt), short names
// (PROGRA~1), characters that no file can have, ".." above the top of a drive, where the core has the other drives.
Result<std::string> to_core(std::string_view text);

// The same for what will be joined to one of these: ".." may not lead above their drive, either.
struct From {
  std::string_view directory;  // of the core; empty: nothing is joined
  std::string_view home;
};
Result<std::string> to_core(std::string_view text, const From& from);

// The other way, for the calls of Windows: "/c/Users/ada" → "C:\Users\ada", "/c" → "C:\". An absolute path of the core;
// one without a drive, or with a name that to_core() refuses, is an error.
Result<std::string> to_windows(std::string_view core);

// Is this one name in a directory, as to_core() accepts it?
Result<void> check_name(std::string_view name);

// NUL, con.txt, COM1, "LPT¹", CONIN$: whatever the case and whatever follows the first dot.
bool is_device_name(std::string_view name);

// PROGRA~1, LONGNA~12.TXT: perhaps the short name of another file.
bool looks_short(std::string_view name);

// "C:\a;D:\b" as a list of the core's paths, "/c/a:/d/b"; entries that cannot be named so are left out. And back.
std::string search_to_core(std::string_view list);
std::string search_to_windows(std::string_view list);

}  // namespace pinfold::windows_paths
