// shell.h: the command line of `pinfold shell`, with "(pinfold)" in the prompt.
// Invariant: the user's own start-up files are read if the sandbox shows them, and never changed.
// Not here: the sandbox around it (run.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"

namespace pinfold::cli {

// `wanted`: --shell, or empty for $SHELL.
std::vector<std::string> shell_command(const std::string& requested, HostView& host);

// The shell's name if `argv` comes from shell_command(), or empty.
std::optional<std::string> shell_of(const std::vector<std::string>& argv);

}  // namespace pinfold::cli
