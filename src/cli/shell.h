// shell.h: the shell of `pinfold shell`, with a prompt that says where one is.
// Invariant: the user's own start-up files are read where the sandbox shows them, and never changed.
// Not here: the sandbox around it (run.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/host_view.h"

namespace pinfold::cli {

// `wanted`: --shell, or empty for $SHELL.
std::vector<std::string> shell_command(const std::string& wanted, HostView& host);

// Is it such a command line? Then the shell's name.
std::optional<std::string> shell_started(const std::vector<std::string>& argv);

}  // namespace pinfold::cli
