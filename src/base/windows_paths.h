// windows_paths.h: the core's notation for Windows paths: C:\Users\ada is /c/Users/ada.
// Invariant: text that Windows could read in two ways, or as an object other than a file, is refused, never corrected.
// Not here: the host (links, short names, the case on the disk: sys/windows/host.cc).
#pragma once

#include <string>
#include <string_view>

#include "pinfold/result.h"

namespace pinfold::windows_paths {

// A path as people write it: "C:\x", "C:/x", "/c/x", "..\x", "~\x". Separators become "/", a drive becomes "/c"; a
// relative path stays relative. Refused: other devices and machines (\\?\, \\.\, \\server), "C:x" and "\x", streams
// ("x:y"), names that Windows changes (a dot or space at the end) or takes for devices (NUL, COM1.txt), short names
// (PROGRA~1), characters that no file can have, ".." above the top of a drive, where the core has the other drives.
Result<std::string> to_core(std::string_view text);

// The same for a relative path that is joined to one of these: ".." must not lead above their drive.
struct BaseDirectories {
  std::string_view directory;  // of the core; empty: nothing is joined
  std::string_view home;
};
Result<std::string> to_core(std::string_view text, const BaseDirectories& base);

// The reverse, for calls of Windows: "/c/Users/ada" → "C:\Users\ada", "/c" → "C:\". An absolute path of the core;
// one without a drive, or with a name that to_core() refuses, is an error.
Result<std::string> to_windows(std::string_view core);

// Fails unless to_core() accepts this name of a directory entry.
Result<void> check_name(std::string_view name);

// NUL, con.txt, COM1, "LPT¹", CONIN$: in upper or lower case, with any text after the first dot.
bool is_device_name(std::string_view name);

// PROGRA~1, LONGNA~12.TXT: perhaps the short name of another file.
bool looks_short(std::string_view name);

// "C:\a;D:\b" as a list of the core's paths, "/c/a:/d/b"; entries that to_core() refuses are left out. And the reverse.
std::string search_to_core(std::string_view list);
std::string search_to_windows(std::string_view list);

}  // namespace pinfold::windows_paths
