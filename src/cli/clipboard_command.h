// clipboard_command.h: wl-copy, wl-paste, xclip, xsel, pbcopy and pbpaste inside a plugin's sandbox: this program under
// those names. Invariant: only if PINFOLD_CLIPBOARD names a socket.
// Not here: the host's side (plugin/clipboard.h).
#pragma once

#include <array>
#include <optional>

namespace pinfold::cli {

inline constexpr auto kClipboardCommands =
    std::to_array<const char*>({"wl-copy", "wl-paste", "xclip", "xsel", "pbcopy", "pbpaste"});
inline constexpr const char* kClipboardVariable = "PINFOLD_CLIPBOARD";

// The exit code, if this process was started as one of them.
std::optional<int> clipboard_command(int argc, char** argv);

}  // namespace pinfold::cli
